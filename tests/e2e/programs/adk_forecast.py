"""google-adk with one function tool that believes whatever it is given, for the drill."""

import asyncio

from google.adk.agents import Agent
from google.adk.runners import InMemoryRunner
from google.genai import types


def get_forecast(city: str, days: int, unit: str) -> dict:
    """Highest temperatures of the coming days in a city."""
    highs = [24, 26, 25, 23, 27, 28, 24][: int(days)]
    return {"city": city, "unit": unit, "temperatures": highs, "days": days}


async def main() -> None:
    agent = Agent(name="assistant", model="gemini-3-pro-preview", tools=[get_forecast])
    runner = InMemoryRunner(agent=agent, app_name="e2e")
    session = await runner.session_service.create_session(app_name="e2e", user_id="user")
    asked = types.Content(role="user", parts=[types.Part(text="Will Pune be warmer than 25 degrees?")])
    async for event in runner.run_async(user_id="user", session_id=session.id, new_message=asked):
        print(event.content)


asyncio.run(main())
