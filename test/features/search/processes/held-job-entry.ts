import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { runJobLoop } from '../../../../src/store/workers/job-loop.js'

/** A job that fails when the named file exists. Without a name it answers at once. */
export interface HeldJob {
  readonly failsWith?: string
}

runJobLoop(async ({ failsWith }: HeldJob): Promise<number> => {
  if (failsWith === undefined) return process.pid
  while (!existsSync(failsWith)) await sleep(10)
  throw new Error('The search failed by itself.')
})
