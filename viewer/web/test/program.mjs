// The program with images of a folder; what it prints first is the address.
import { spawn } from "node:child_process";
import { join } from "node:path";

export async function startProgram(program, folder, files, ...options) {
  const env = { ...process.env, XDG_STATE_HOME: join(folder, "state") };
  const child = spawn(program, ["view", ...files, "--no-open", ...options], { cwd: folder, env });
  let text = "";
  const url = await new Promise((found, failed) => {
    child.stdout.on("data", (data) => {
      text += data;
      const match = /https?:\/\/\S+#token=[0-9a-f]{32}/.exec(text);
      if (match) found(match[0]);
    });
    child.stderr.on("data", (data) => (text += data));
    child.on("exit", () => failed(new Error(`tesela view ended: ${text}`)));
  });
  /** Gives all that the program said. */
  const end = () =>
    new Promise((done) => {
      child.on("close", () => done(text));
      child.kill("SIGINT");
    });
  return { url, end };
}
