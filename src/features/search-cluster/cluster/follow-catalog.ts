import { setTimeout as sleep } from 'node:timers/promises'
import type { Catalog } from '../../../catalog/catalog.js'
import { ProblemError } from '../../../core/problem.js'
import type { Oid } from '../../../core/value-types.js'
import type { ConnectorControl } from '../connectors/connector-files.js'
import type { ClusterClient } from './cluster-client.js'
import { openReflectedCommit } from './reflected-commit.js'
import { type GenerationOptions, openGenerationUpdates } from './update-generations.js'

interface FollowerOptions
  extends Omit<GenerationOptions, 'catalog' | 'client' | 'reflected' | 'rewind' | 'signal'> {
  /** @param ended aborts all requests of the client */
  openClient(ended: AbortSignal): ClusterClient
  readonly catalog: GenerationOptions['catalog'] & Pick<Catalog, 'headChanges'>
  /** Reads what commands ask the connector to do, and takes its status. */
  readonly control: ConnectorControl
  /** Milliseconds between two checks of what is in the cluster. */
  readonly checkInterval: number
}

/** Milliseconds before a failed part is repeated: after the first failure, and the longest time. */
const retryDelays = { first: 500, longest: 30_000 }
/** Milliseconds between two checks whether a command has paused, resumed or rewound the connector. */
const commandCheckInterval = 1000

/**
 * Keeps the cluster up to date with the catalog: sends every revision, in the order of history and in the background. A
 * failed part is repeated after growing delays.
 */
export function followCatalog(options: FollowerOptions) {
  const { names, catalog, control, report } = options
  const closing = new AbortController()
  const { signal } = closing
  const client = options.openClient(signal)
  const reflected = openReflectedCommit(catalog.chain)
  const updates = openGenerationUpdates({ ...options, client, signal, reflected, rewind: control.rewind })
  const waits = openWaits({ catalog, control, signal })
  const errors = openErrorReport(client.address, report)
  let isPaused = false

  async function follow(): Promise<void> {
    let delay = retryDelays.first
    let asked = ''
    let nextCheck = performance.now() + options.checkInterval
    while (!signal.aborted) {
      const { count } = catalog.headChanges
      try {
        // Read before the step, so that a command during the step is noticed after it.
        asked = control.commandsId()
        const more = await step()
        delay = retryDelays.first
        writeStatus()
        if (!more) await waits.untilChanged(count, asked, nextCheck)
        if (performance.now() >= nextCheck) {
          nextCheck = performance.now() + options.checkInterval
          updates.forget()
        }
      } catch (error) {
        if (signal.aborted) break
        errors.note(error)
        updates.forget()
        writeStatus()
        await waits.pauseFor(delay, asked)
        delay = Math.min(2 * delay, retryDelays.longest)
      }
    }
    // Commands read what the last step has done, even if the end of the server has interrupted it.
    writeStatus()
  }

  /** Sends the next part, unless the connector is paused. @returns whether there is more to do at once */
  async function step(): Promise<boolean> {
    isPaused = control.isPaused()
    if (isPaused) {
      await updates.readState()
      errors.forget()
      return false
    }
    const more = await updates.next()
    errors.noteSuccess()
    return more
  }

  function writeStatus(): void {
    const commit = reflected.commit()
    const lastError = errors.last()
    control.writeStatus({
      address: client.address,
      prefix: names.prefix,
      ...(commit !== undefined && { commit }),
      ...updates.progress(),
      ...(lastError !== undefined && { lastError }),
    })
  }

  const following = follow()
  return {
    /** The commit that searches reflect. Undefined: no generation is complete. */
    reflected: reflected.commit,
    /** Whether a command has paused the connector: nothing is sent. */
    isPaused: () => isPaused,
    lastError: errors.last,
    /** The schemas whose documents are sent again, the first one now. */
    again: updates.again,
    /** @see SearchEngine.waitFor */
    async waitFor(commit: Oid, milliseconds: number, ended: AbortSignal): Promise<boolean> {
      if (catalog.chain.positionOf(commit) === undefined)
        throw new ProblemError('not-found', `The history that is served has no commit ${commit}.`)
      return await reflected.waitFor(commit, milliseconds, AbortSignal.any([ended, signal]))
    },
    async close(): Promise<void> {
      closing.abort()
      await following
    },
  }
}

/** Reports errors of the cluster to the operator, each once until another one occurs or the cluster works again. */
function openErrorReport(address: string, report: (line: string) => void) {
  let last: string | undefined

  return {
    /** The last error; undefined if the cluster works. */
    last: () => last,
    note(error: unknown): void {
      const text = error instanceof Error ? error.message : String(error)
      if (text !== last) report(text)
      last = text
    },
    noteSuccess(): void {
      if (last !== undefined) report(`${address} works again.`)
      last = undefined
    },
    /** Forgets the last error, and reports nothing. */
    forget(): void {
      last = undefined
    },
  }
}

/** Waits between two parts. The close of the follower and new commands end each of them. */
function openWaits({
  catalog,
  control,
  signal,
}: Pick<FollowerOptions, 'catalog' | 'control'> & { readonly signal: AbortSignal }) {
  function hasNewCommand(asked: string): boolean {
    try {
      return control.commandsId() !== asked
    } catch {
      // The next step tells what is wrong with the file.
      return false
    }
  }

  return {
    /** Waits for a commit, for a command, or until it is time to check the cluster. */
    async untilChanged(count: number, asked: string, end: number): Promise<void> {
      while (performance.now() < end) {
        if ((await catalog.headChanges.next(count, commandCheckInterval, signal)) !== 'timeout') return
        if (control.commandsId() !== asked) return
      }
    },
    /** Waits for a time. */
    async pauseFor(milliseconds: number, asked: string): Promise<void> {
      const end = performance.now() + milliseconds
      for (let left = milliseconds; left > 0 && !signal.aborted; left = end - performance.now()) {
        await sleep(Math.min(left, commandCheckInterval), undefined, { signal }).catch(() => undefined)
        if (hasNewCommand(asked)) return
      }
    },
  }
}
