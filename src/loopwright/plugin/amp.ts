// Written by Loopwright: `loop install amp` writes it, `loop uninstall amp` removes it.
// Amp continues with a new message; it takes so many of them in a row.
import { spawnSync } from "node:child_process"

const COMMAND: string[] = {{command}}
const MOST_MESSAGES = 50
const continued = new Set<string>() // threads whose last answer got a new message from us

const words = (content: any): string =>
  Array.isArray(content)
    ? content
        .filter((part: any) => part?.type === "text")
        .map((part: any) => part.text)
        .join("\n")
    : String(content ?? "")

export default function (amp: any) {
  amp.on("agent.end", async (event: any) => {
    const last = (event.messages ?? []).filter((message: any) => message.role === "assistant").at(-1)
    const thread = String(event.thread?.id ?? "")
    const input = {
      session_id: thread,
      stop_hook_active: continued.delete(thread),
      cwd: process.cwd(),
      status: event.status,
      last_assistant_message: words(last?.content),
    }
    const child = spawnSync(COMMAND[0], [...COMMAND.slice(1), "--event", "agent.end"], {
      input: JSON.stringify(input),
      encoding: "utf8",
    })
    let answer: any = {}
    try {
      answer = JSON.parse(child.stdout || "{}")
    } catch {}
    if (answer.decision !== "block") return
    continued.add(thread)
    return { action: "continue", userMessage: answer.reason, maxContinuations: MOST_MESSAGES }
  })
}
