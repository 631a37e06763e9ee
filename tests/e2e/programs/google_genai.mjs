// @google/genai: the chat keeps the history, the user runs the tools.
//
// The base URL and the key come from GOOGLE_GEMINI_BASE_URL and GEMINI_API_KEY, which the SDK reads itself.

import { readFileSync } from "node:fs";
import { GoogleGenAI, Type } from "@google/genai";

const [flow] = process.argv.slice(2);
const MODEL = "gemini-3-pro-preview";
const ai = new GoogleGenAI({});
const calls = [];

const tools = {
  get_weather({ city }) {
    calls.push(`get_weather ${city}`);
    return { celsius: Number(process.env.CELSIUS ?? 31) };
  },
  get_time({ tz }) {
    calls.push(`get_time ${tz}`);
    return { result: "12:00" };
  },
};

function declared(name, description, argument) {
  const properties = { [argument]: { type: Type.STRING } };
  return { name, description, parameters: { type: Type.OBJECT, properties, required: [argument] } };
}

const functionDeclarations = [
  declared("get_weather", "Get the weather of a city.", "city"),
  declared("get_time", "Get the time in a time zone.", "tz"),
];

async function say(chat, message) {
  if (!flow.endsWith("stream")) {
    const { text, functionCalls } = await chat.sendMessage({ message });
    return { text, functionCalls: functionCalls ?? [] };
  }
  let text = "";
  const functionCalls = [];
  for await (const chunk of await chat.sendMessageStream({ message })) {
    text += chunk.text ?? "";
    functionCalls.push(...(chunk.functionCalls ?? []));
  }
  return { text, functionCalls };
}

async function talk() {
  const chat = ai.chats.create({ model: MODEL, config: { tools: [{ functionDeclarations }] } });
  const texts = [];
  for (const message of [`Weather and time in ${process.env.CITY ?? "Pune"}?`, "Thank you."]) {
    let { text, functionCalls } = await say(chat, message);
    while (functionCalls.length) {
      const responses = functionCalls.map(({ id, name, args }) => ({
        functionResponse: { id, name, response: tools[name](args) },
      }));
      ({ text, functionCalls } = await say(chat, responses));
    }
    texts.push(text);
  }
  return { texts, calls };
}

async function run() {
  switch (flow) {
    case "unary": {
      const answer = await ai.models.generateContent({ model: MODEL, contents: "Name a river in one word." });
      return { text: answer.text };
    }
    case "stream": {
      let text = "";
      const chunks = await ai.models.generateContentStream({ model: MODEL, contents: "Count to five." });
      for await (const chunk of chunks) text += chunk.text ?? "";
      return { text };
    }
    case "files": {
      const bytes = new Blob(["Bhima, Krishna, Godavari\n"], { type: "text/plain" });
      const file = await ai.files.upload({ file: bytes });
      const part = { fileData: { fileUri: file.uri, mimeType: file.mimeType } };
      const contents = [part, "Which river comes first?"];
      const answer = await ai.models.generateContent({ model: MODEL, contents });
      return { name: file.name, text: answer.text };
    }
    case "embeddings": {
      const contents = ["Bhima", "Krishna"];
      const answer = await ai.models.embedContent({ model: "gemini-embedding-001", contents });
      return { values: answer.embeddings.map((embedding) => embedding.values) };
    }
    case "count": {
      const answer = await ai.models.countTokens({ model: MODEL, contents: "How long am I?" });
      return { tokens: answer.totalTokens };
    }
    case "models": {
      const names = [];
      const pager = await ai.models.list({ config: { pageSize: 2 } });
      for await (const model of pager) names.push(model.name.replace(/^models\//, ""));
      return { names };
    }
    default:
      return talk();
  }
}

const installed = new URL("node_modules/@google/genai/package.json", import.meta.url);
const { version } = JSON.parse(readFileSync(installed));
console.log(JSON.stringify({ version, result: await run() }));
