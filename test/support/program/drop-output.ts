import type { ProgramEnd, StartedProgram } from '../../../src/store/process/started-program.js'

/** Reads what a program prints, keeps nothing of it, and waits for its end. */
export async function dropOutput({ stdout, stderr, closed }: StartedProgram): Promise<ProgramEnd> {
  stdout.resume()
  stderr.resume()
  return await closed
}
