// Written by Loopwright: `loop install opencode` writes it, `loop uninstall opencode` removes it.
// OpenCode has no hook that refuses a stop, so a session that must go on gets a new message.
import { spawn } from "node:child_process"

const COMMAND = {{command}}

const ask = (event, input) =>
  new Promise((resolve) => {
    const child = spawn(COMMAND[0], [...COMMAND.slice(1), "--event", event], {
      stdio: ["pipe", "pipe", "ignore"],
    })
    let printed = ""
    child.on("error", () => resolve({}))
    child.stdin.on("error", () => {})
    child.stdout.on("data", (data) => (printed += data))
    child.on("close", () => {
      try {
        resolve(JSON.parse(printed || "{}"))
      } catch {
        resolve({})
      }
    })
    child.stdin.end(JSON.stringify(input))
  })

const words = (message) =>
  (message.parts ?? [])
    .filter((part) => part.type === "text" && !part.synthetic)
    .map((part) => part.text)
    .join("\n")

// A toast is narrow: of a verdict the line with its name, else the first line.
const headline = (message) => {
  const lines = message.split("\n")
  const verdict = lines.find((line) => line.startsWith("╭─"))
  return verdict ? verdict.replace(/[╭─╮]/g, "").trim() : lines[0]
}

export const Loopwright = async ({ client, directory }) => {
  const busy = new Set()
  const answered = new Map() // the last message of each session that was told to the loop

  const tell = async (id) => {
    const session = (await client.session.get({ path: { id } })).data
    if (!session || session.parentID) return // a sub-agent
    const messages = (await client.session.messages({ path: { id } })).data ?? []
    const spoken = messages.filter((message) => message.info.role === "assistant")
    const last = spoken.at(-1)
    if (!last || last.info.error || answered.get(id) === last.info.id) return
    answered.set(id, last.info.id)
    const prompt = messages.findLastIndex((message) => message.info.role === "user")
    const tools = messages
      .slice(prompt + 1)
      .flatMap((message) => message.parts ?? [])
      .filter((part) => part.type === "tool")
    const answer = await ask("session.idle", {
      session_id: id,
      cwd: directory,
      last_assistant_message: words(last),
      prompt_id: last.info.id,
      costs: spoken.map((message) => [message.info.time?.created ?? 0, message.info.cost ?? 0]),
      tools: tools.map((part) => [
        part.tool,
        part.state?.input?.command ?? part.state?.input?.filePath ?? "",
        part.state?.status === "error" ? String(part.state.error ?? "failed") : "",
      ]),
    })
    if (answer.decision === "block")
      await client.session.promptAsync({
        path: { id },
        body: {
          agent: last.info.mode,
          model: { providerID: last.info.providerID, modelID: last.info.modelID },
          parts: [{ type: "text", text: answer.reason }],
        },
      })
    else if (answer.systemMessage)
      // A verdict or a pause stays in the session, for the person only: the model does not see it.
      await client.session.prompt({
        path: { id },
        body: {
          noReply: true,
          agent: last.info.mode,
          model: { providerID: last.info.providerID, modelID: last.info.modelID },
          parts: [{ type: "text", text: answer.systemMessage, ignored: true }],
        },
      })
    if (answer.systemMessage) {
      const body = { title: "loop", message: headline(answer.systemMessage), variant: "info" }
      // Not awaited: without a screen nobody answers.
      client.tui.showToast({ body }).catch(() => {})
    }
  }

  return {
    event: async ({ event }) => {
      const idle =
        event.type === "session.idle" ||
        (event.type === "session.status" && event.properties.status?.type === "idle")
      const id = event.properties?.sessionID
      if (!idle || !id || busy.has(id)) return
      busy.add(id)
      try {
        await tell(id)
      } finally {
        busy.delete(id)
      }
    },
  }
}
