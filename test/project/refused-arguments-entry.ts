/*
 * Runs a script with one list of arguments after the other in this process, which loads its modules once, and writes what
 * it said to standard error and its exit code for each: for lists that it refuses.
 */

/** What ends a script in place of the end of the process. */
class Ended extends Error {}

const [script = '', lists = '[]'] = process.argv.slice(2)
const said: { status: number; stderr: string }[] = []
let stderr = ''
let status: number | undefined
process.stderr.write = ((text: string) => {
  // The parser may catch the end and refuse again: a process would be gone.
  if (status === undefined) stderr += text
  return true
}) as typeof process.stderr.write
process.exit = ((code?: number) => {
  status ??= code ?? 0
  throw new Ended()
}) as typeof process.exit

for (const [at, args] of (JSON.parse(lists) as readonly string[][]).entries()) {
  process.argv = [process.execPath, script, ...args]
  stderr = ''
  status = undefined
  // Another address is another module, which imports the same ones.
  await import(`${script}?${at}`).catch((error: unknown) => {
    if (!(error instanceof Ended)) throw error
  })
  said.push({ status: status ?? 0, stderr })
}
process.stdout.write(JSON.stringify(said))
