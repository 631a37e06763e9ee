// @google/adk: an agent with function tools, run by the runner.
//
// The base URL and the key come from GOOGLE_GEMINI_BASE_URL and GEMINI_API_KEY, which @google/genai reads below it.

import { readFileSync } from "node:fs";
import { FunctionTool, InMemoryRunner, LlmAgent, StreamingMode } from "@google/adk";
import { z } from "zod";

const [flow] = process.argv.slice(2);
const streamingMode = flow.endsWith("stream") ? StreamingMode.SSE : StreamingMode.NONE;
const calls = [];

const tools = [
  new FunctionTool({
    name: "get_weather",
    description: "Get the weather of a city.",
    parameters: z.object({ city: z.string() }),
    execute({ city }) {
      calls.push(`get_weather ${city}`);
      return { celsius: 31 };
    },
  }),
  new FunctionTool({
    name: "get_time",
    description: "Get the time in a time zone.",
    parameters: z.object({ tz: z.string() }),
    execute({ tz }) {
      calls.push(`get_time ${tz}`);
      return "12:00";
    },
  }),
];

async function talk(messages, agentTools) {
  const agent = new LlmAgent({ name: "guide", model: "gemini-3-pro-preview", tools: agentTools });
  const runner = new InMemoryRunner({ agent, appName: "guide" });
  const { id } = await runner.sessionService.createSession({ appName: "guide", userId: "user" });
  const texts = [];
  for (const text of messages) {
    let answer = "";
    const newMessage = { role: "user", parts: [{ text }] };
    const runConfig = { streamingMode };
    for await (const event of runner.runAsync({ userId: "user", sessionId: id, newMessage, runConfig })) {
      if (event.errorCode) throw new Error(`${event.errorCode}: ${event.errorMessage}`);
      // A streamed text comes in pieces, and once more as a whole.
      if (event.partial) continue;
      for (const part of event.content?.parts ?? []) answer += part.thought ? "" : (part.text ?? "");
    }
    texts.push(answer);
  }
  return texts;
}

async function run() {
  switch (flow) {
    case "unary":
      return { text: (await talk(["Name a river in one word."], []))[0] };
    case "stream":
      return { text: (await talk(["Count to five."], []))[0] };
    default:
      return { texts: await talk(["Weather and time in Pune?", "Thank you."], tools), calls };
  }
}

const installed = new URL("node_modules/@google/adk/package.json", import.meta.url);
const { version } = JSON.parse(readFileSync(installed));
console.log(JSON.stringify({ version, result: await run() }));
