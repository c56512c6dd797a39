// The app of the examples: an agent with one tool, which asks a model over the API of OpenAI.
export type Env = Readonly<Record<string, string | undefined>>;

interface Message {
  content: string;
  tool_calls?: { id: string; function: { name: string; arguments: string } }[];
}

const weather = { type: "function", function: { name: "weather", parameters: { type: "object", properties: { city: { type: "string" } } } } };

/** The answer to a question. Rejects if the model cannot be asked. */
export async function ask(question: string, env: Env = process.env): Promise<string> {
  const messages: object[] = [{ role: "user", content: question }];
  for (;;) {
    const response = await fetch(`${env["OPENAI_BASE_URL"]}/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${env["OPENAI_API_KEY"]}` },
      body: JSON.stringify({ model: "gpt-5", messages, tools: [weather] }),
    });
    if (!response.ok) throw new Error(`The model is not available (${response.status}).`);
    const { choices } = (await response.json()) as { choices: [{ message: Message }] };
    const { content, tool_calls } = choices[0].message;
    if (tool_calls === undefined) return content;
    messages.push(choices[0].message);
    for (const { id, function: { arguments: args } } of tool_calls) {
      messages.push({ role: "tool", tool_call_id: id, content: `rain in ${(JSON.parse(args) as { city: string }).city}` });
    }
  }
}
