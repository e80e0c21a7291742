import { randomUUID } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Catalog, Fault } from '../catalog/catalog.js'
import { type Caller, permits, seesEverything, self } from '../core/access.js'
import type { Oid } from '../core/values.js'
import type { Repository } from '../store/repository.js'
import type { Writer } from '../store/writer.js'
import { failureText } from './periodically.js'
import type { Health } from './services.js'
import type { Standing, StandingBook } from './standing.js'

type Check = Health['checks']['repository']

export interface HealthOptions {
  readonly repository: Repository
  readonly catalog: Catalog
  readonly writer: Writer
  /** Undefined: the service has to do with no other repository. */
  readonly book: StandingBook | undefined
}

/**
 * Looks whether the service can do its work: the branch and its commit can be read, our folder can be written to, the
 * writer takes updates, the catalog reflects the branch.
 */
export function openHealth({
  repository,
  catalog,
  writer,
  book,
}: HealthOptions): (caller: Caller) => Promise<Health> {
  /** Which and how many commits another repository lacks that is pushed to. */
  function withLag(standing: Standing, head: Oid | undefined): NonNullable<Health['remote']> {
    if (standing.role === 'source' || head === undefined || standing.commit === undefined) return standing
    const [there, here] = [standing.commit, head].map(catalog.chain.positionOf)
    return there === undefined || here === undefined ? standing : { ...standing, lag: here - there }
  }

  async function readable(): Promise<Check & { readonly head?: Oid }> {
    return await outcome(async () => {
      const head = await repository.head()
      if (!(await repository.objects.has(head)))
        return { ok: false, head, detail: `The commit ${head} is missing.` }
      return { ok: true, head }
    })
  }

  /** Takes an update that changes nothing through the writer: refused where every other would be. */
  async function writable(): Promise<Check> {
    return await outcome(async () => {
      const probe = join(repository.ownDir, `probe-${randomUUID()}`)
      try {
        await writeFile(probe, '')
      } finally {
        await rm(probe, { force: true })
      }
      await writer.write({ name: self.name, email: self.email }, () => undefined)
      return { ok: true }
    })
  }

  async function upToDate(): Promise<Check> {
    return await outcome(async () => {
      for (let look = 1; ; look++) {
        await writer.follow()
        const head = await repository.head()
        const reflected = catalog.head()
        if (head === reflected) return { ok: true }
        // The branch may move while we look; it does not do so every time.
        if (look === 3)
          return { ok: false, detail: `The catalog reflects ${reflected ?? 'nothing'}, not ${head}.` }
      }
    })
  }

  /** Faults of records that are the caller's to correct. */
  function faultsFor(caller: Caller): readonly Fault[] {
    const { committed } = catalog
    const faults = committed.faults()
    if (seesEverything(caller)) return faults
    return faults.filter(({ kind, id }) => {
      const served = id && committed.newest(kind, id)
      return served && permits(caller, served.record, 'ADMINISTRATE')
    })
  }

  return async caller => {
    const [{ head, ...read }, written, followed] = await Promise.all([readable(), writable(), upToDate()])
    const reflected = catalog.head()
    const all = { repository: read, writable: written, catalog: followed }
    const status = Object.values(all).every(check => check.ok) ? 'UP' : 'DOWN'
    const faults = faultsFor(caller)
    if (!seesEverything(caller)) {
      // Neither that somebody has changed something, nor what the machine says of itself.
      const checks = { repository: only(read), writable: only(written), catalog: only(followed) }
      return { status, checks, faults }
    }
    return {
      status,
      ...(head === undefined ? {} : { head }),
      ...(reflected === undefined ? {} : { catalog: reflected }),
      checks: all,
      faults,
      ...(book && { remote: withLag(book.now(), reflected) }),
    }
  }
}

function only({ ok }: Check): Check {
  return { ok }
}

/** A failure, as a check that says why. What the machine says goes to whoever watches it. */
async function outcome<T extends Check>(check: () => Promise<T>): Promise<T | (Check & { head?: never })> {
  try {
    return await check()
  } catch (error) {
    return { ok: false, detail: failureText(error) }
  }
}
