// ai with @ai-sdk/google, which reads no base URL from the environment: the user gives one, with the version.
//
// The base URL comes from GEMINI_API_BASE, the key from GOOGLE_GENERATIVE_AI_API_KEY, which the SDK reads itself.

import { readFileSync } from "node:fs";
import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { embedMany, generateText, jsonSchema, stepCountIs, streamText, tool } from "ai";

const [flow] = process.argv.slice(2);
const google = createGoogleGenerativeAI({ baseURL: process.env.GEMINI_API_BASE });
const model = google("gemini-3-pro-preview");
const calls = [];

function schema(argument) {
  return jsonSchema({ type: "object", properties: { [argument]: { type: "string" } }, required: [argument] });
}

const tools = {
  get_weather: tool({
    description: "Get the weather of a city.",
    inputSchema: schema("city"),
    execute({ city }) {
      calls.push(`get_weather ${city}`);
      return { celsius: 31 };
    },
  }),
  get_time: tool({
    description: "Get the time in a time zone.",
    inputSchema: schema("tz"),
    execute({ tz }) {
      calls.push(`get_time ${tz}`);
      return "12:00";
    },
  }),
};

// ai 7 gives what all steps said in responseMessages, ai 6 in response.messages.
async function said(answer) {
  return (await answer.responseMessages) ?? (await answer.response).messages;
}

async function ask(messages, more) {
  if (!flow.endsWith("stream")) {
    const answer = await generateText({ model, messages, ...more });
    return { text: answer.text, messages: await said(answer) };
  }
  const answer = streamText({ model, messages, ...more });
  let text = "";
  for await (const piece of answer.textStream) text += piece;
  return { text, messages: await said(answer) };
}

async function talk() {
  const messages = [];
  const texts = [];
  for (const content of ["Weather and time in Pune?", "Thank you."]) {
    messages.push({ role: "user", content });
    const answer = await ask(messages, { tools, stopWhen: stepCountIs(5) });
    messages.push(...answer.messages);
    texts.push(answer.text);
  }
  return { texts, calls };
}

async function run() {
  switch (flow) {
    case "unary":
      return { text: (await ask([{ role: "user", content: "Name a river in one word." }])).text };
    case "stream":
      return { text: (await ask([{ role: "user", content: "Count to five." }])).text };
    case "embeddings": {
      const embeddingModel = google.embeddingModel("gemini-embedding-001");
      const answer = await embedMany({ model: embeddingModel, values: ["Bhima", "Krishna"] });
      return { values: answer.embeddings };
    }
    default:
      return talk();
  }
}

function versionOf(name) {
  return JSON.parse(readFileSync(new URL(`node_modules/${name}/package.json`, import.meta.url))).version;
}

const result = await run();
console.log(JSON.stringify({ version: `${versionOf("@ai-sdk/google")} (ai ${versionOf("ai")})`, result }));
