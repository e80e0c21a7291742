/*
 * Runs a script with several lists of arguments in turn. One process does that, so that modules load only once. Writes
 * the exit code and the standard error of each run. All lists must be refused.
 */

/** An error that ends a script instead of its process. */
class Ended extends Error {}

const [script = '', lists = '[]'] = process.argv.slice(2)
const said: { status: number; stderr: string }[] = []
let stderr = ''
let status: number | undefined
process.stderr.write = ((text: string) => {
  // The parser may catch this error and refuse again. With a real exit, it could not write more.
  if (status === undefined) stderr += text
  return true
}) as typeof process.stderr.write
process.exit = ((code?: number) => {
  status ??= code ?? 0
  throw new Ended()
}) as typeof process.exit

for (const [index, args] of (JSON.parse(lists) as readonly string[][]).entries()) {
  process.argv = [process.execPath, script, ...args]
  stderr = ''
  status = undefined
  // Another query makes another module, which reuses the imported modules.
  await import(`${script}?${index}`).catch((error: unknown) => {
    if (!(error instanceof Ended)) throw error
  })
  said.push({ status: status ?? 0, stderr })
}
process.stdout.write(JSON.stringify(said))
