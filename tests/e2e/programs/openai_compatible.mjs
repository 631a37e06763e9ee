// openai on Google's compatible path: the user runs the tools, and keeps a stream's thought signatures.
//
// The base URL and the key come from OPENAI_BASE_URL, which has to end in /v1beta/openai, and OPENAI_API_KEY.

import { readFileSync } from "node:fs";
import OpenAI from "openai";

const [flow] = process.argv.slice(2);
const MODEL = "gemini-3-pro-preview";
const client = new OpenAI();
const calls = [];

const functions = {
  get_weather({ city }) {
    calls.push(`get_weather ${city}`);
    return { celsius: 31 };
  },
  get_time({ tz }) {
    calls.push(`get_time ${tz}`);
    return "12:00";
  },
};

function declared(name, description, argument) {
  const parameters = { type: "object", properties: { [argument]: { type: "string" } }, required: [argument] };
  return { type: "function", function: { name, description, parameters } };
}

const tools = [
  declared("get_weather", "Get the weather of a city.", "city"),
  declared("get_time", "Get the time in a time zone.", "tz"),
];

// The assistant's message, as it goes back into the history.
async function complete(messages, more) {
  const asked = { model: MODEL, messages, ...more };
  if (!flow.endsWith("stream")) return (await client.chat.completions.create(asked)).choices[0].message;
  let content = "";
  const toolCalls = [];
  for await (const chunk of await client.chat.completions.create({ ...asked, stream: true })) {
    const [{ delta }] = chunk.choices;
    content += delta.content ?? "";
    // Google sends each call whole; extra_content holds its thought signature.
    for (const { index, ...call } of delta.tool_calls ?? []) toolCalls.push(call);
  }
  return { role: "assistant", content, ...(toolCalls.length ? { tool_calls: toolCalls } : {}) };
}

async function talk() {
  const messages = [];
  const texts = [];
  for (const content of ["Weather and time in Pune?", "Thank you."]) {
    messages.push({ role: "user", content });
    let message = await complete(messages, { tools });
    while (message.tool_calls) {
      messages.push(message);
      for (const call of message.tool_calls) {
        const result = functions[call.function.name](JSON.parse(call.function.arguments));
        messages.push({ role: "tool", tool_call_id: call.id, content: JSON.stringify(result) });
      }
      message = await complete(messages, { tools });
    }
    messages.push(message);
    texts.push(message.content);
  }
  return { texts, calls };
}

async function run() {
  switch (flow) {
    case "unary":
      return { text: (await complete([{ role: "user", content: "Name a river in one word." }])).content };
    case "stream":
      return { text: (await complete([{ role: "user", content: "Count to five." }])).content };
    case "embeddings": {
      const input = ["Bhima", "Krishna"];
      const answer = await client.embeddings.create({ model: "gemini-embedding-001", input, encoding_format: "float" });
      return { values: answer.data.map(({ embedding }) => embedding) };
    }
    case "models": {
      const names = [];
      for await (const { id } of await client.models.list()) names.push(id.replace(/^models\//, ""));
      return { names };
    }
    default:
      return talk();
  }
}

const installed = new URL("node_modules/openai/package.json", import.meta.url);
const { version } = JSON.parse(readFileSync(installed));
console.log(JSON.stringify({ version, result: await run() }));
