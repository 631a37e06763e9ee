"""What is wrong with a request: the conversation model, the rules, the API's error bodies and the reports."""
