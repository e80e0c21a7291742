import { existsSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { runJobLoop } from '../../../../src/store/workers/job-loop.js'

/** A job that fails when the named file exists. Without a name it answers at once. */
export interface HeldJob {
  /** The job writes the id of its process into the file of this name with the ending `.pid`. */
  readonly failsWith?: string
}

runJobLoop(async ({ failsWith }: HeldJob): Promise<number> => {
  if (failsWith === undefined) return process.pid
  writeFileSync(`${failsWith}.pid`, String(process.pid))
  while (!existsSync(failsWith)) await sleep(10)
  throw new Error('The search failed by itself.')
})
