import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { CoreParts } from '../../../compose/compose.js'
import type { Principal } from '../../../core/access-control.js'
import type { PointExpression } from '../../../core/history-point.js'
import { isPlain } from '../../../core/plain-mode.js'
import { ProblemError, tooLarge } from '../../../core/problem.js'
import type { CatalogQueries } from '../../../core/records/record-queries.js'
import type { Revision } from '../../../core/records/revision.js'
import { openOneAtATime } from '../../../core/scheduling/one-at-a-time.js'
import type { Id, Version } from '../../../core/value-types.js'
import { isReadable } from '../../../service/rules/record-rules.js'
import { dryRunWork } from '../../../service/updates/prepared-update.js'
import { openWorkerThread } from '../../../store/workers/worker-thread.js'
import { bundleBytes } from '../../../validation/reference-resolver.js'
import type { SchemaBundle } from '../../../validation/validator.js'
import type { SchemaJob } from './schema-job.js'

/** What is made of the versions of schemas: outlines, and bundles of several files. */
export interface SchemaViews {
  /**
   * The outline of a schema version as JSON text. What stands in schemas that the caller may not read is left out.
   * @throws ProblemError `not-found`, `forbidden`; `too-large` for a schema of more than {@link maxSchemaBytes};
   *   `unprocessable` with findings; `unavailable` if too many wait
   */
  outline(caller: Principal, name: string, version?: Version, at?: PointExpression): Promise<SchemaView>
  /**
   * A JSON Schema with all that it refers to, as one document.
   * @throws ProblemError as {@link outline}; `forbidden` also if it refers to a schema that the caller may not read;
   *   `unprocessable` for an XML schema, and for a schema that one document cannot express
   */
  bundle(caller: Principal, name: string, version?: Version, at?: PointExpression): Promise<SchemaView>
  close(): Promise<void>
}

interface SchemaView {
  /** JSON text. */
  readonly text: string
  /** A hash of the text. */
  readonly digest: string
}

/** Limit of the bytes of a schema with all its files. */
export const maxSchemaBytes = 8 * 2 ** 20
/** Bytes of a schema up to which the event loop works on it: starting a thread takes longer. */
const maxBytesOnEventLoop = 16 * 1024
/** Limit of the characters of remembered texts together. */
const maxRemembered = 16 * 2 ** 20

/**
 * Opens the views. Each takes time and memory in proportion to the schema, whose size is limited. A thread works on
 * larger schemas one after another, and the clients take turns.
 *
 * Fast path, for fairness and not for speed: a schema of 118 KB keeps the thread busy for 10 to 80 ms, and not the event
 * loop. Plain path: the event loop works on each schema.
 * @see docs/decisions/011-fast-paths.md
 */
export function openSchemaViews({ bundles, catalog, collections, past }: CoreParts): SchemaViews {
  const { committed } = catalog
  const thread = openWorkerThread<SchemaJob, string>(new URL('./schema-job-thread.js', import.meta.url))
  const remembered = new LRUCache<string, SchemaView>({ maxSize: maxRemembered })
  const inTurn = openOneAtATime({
    maxWaiting: 64,
    refusal: 'Many schemas are waiting to be read. Try again.',
    retryAfter: 5,
  })

  async function readSchema(caller: Principal, name: string, version?: Version, at?: PointExpression) {
    if (at) return await past.schema(caller, name, at, version)
    return { schema: collections.schema.read(caller, name, version), state: committed }
  }

  async function bundleOf(
    caller: Principal,
    { schema, state }: { readonly schema: Revision; readonly state: CatalogQueries },
  ): Promise<SchemaBundle> {
    const bundle = await bundles.ofStored(state, schema, dryRunWork(caller))
    if (bundleBytes(bundle) > maxSchemaBytes)
      throw tooLarge(
        `The schema has more than ${maxSchemaBytes / 2 ** 20} MiB with its files. Read it as it is.`,
      )
    return bundle
  }

  function mayRead(caller: Principal, { id }: SchemaBundle): boolean {
    const newest = id === undefined ? undefined : committed.newest('schema', id as Id)
    return newest !== undefined && isReadable(caller, newest.record)
  }

  async function view(caller: Principal, job: SchemaJob, key: string): Promise<SchemaView> {
    const known = remembered.get(key)
    if (known) return known
    const { client } = caller
    // Loaded here: a server that starts does not need the modules that read schemas.
    const text =
      isPlain || bundleBytes(job.bundle) <= maxBytesOnEventLoop
        ? (await import('./schema-job.js')).runSchemaJob(job)
        : await inTurn(() => thread.run(job), client, client?.signal)
    const made = { text, digest: createHash('sha256').update(text).digest('base64url') }
    remembered.set(key, made, { size: text.length + 100 })
    return made
  }

  return {
    async outline(caller, name, version, at) {
      const whole = await bundleOf(caller, await readSchema(caller, name, version, at))
      const hidden = new Set<string>()
      const bundle = withoutHidden(whole, each => {
        const may = mayRead(caller, each)
        if (!may) hidden.add(each.id ?? '')
        return may
      })
      return await view(caller, { make: 'outline', bundle }, ['outline', whole.key, ...hidden].join(' '))
    },

    async bundle(caller, name, version, at) {
      const found = await readSchema(caller, name, version, at)
      if (found.schema.documentType !== 'JSON')
        throw new ProblemError(
          'unprocessable',
          `"${found.schema.id}" is an XML schema: only JSON Schemas have a bundle. Read its files instead.`,
        )
      const bundle = await bundleOf(caller, found)
      withoutHidden(bundle, (each, target) => {
        if (mayRead(caller, each)) return true
        throw new ProblemError(
          'forbidden',
          `The schema refers to "${target}", which needs the permission READ.`,
        )
      })
      return await view(caller, { make: 'bundle', bundle }, `bundle ${bundle.key}`)
    },

    close: thread.close,
  }
}

/** The bundle without registered schemas that fail the test. @param may gets each with the reference to it */
function withoutHidden(
  bundle: SchemaBundle,
  may: (registered: SchemaBundle, target: string) => boolean,
): SchemaBundle {
  const { registered } = bundle
  if (registered.size === 0) return bundle
  const kept = [...registered].filter(([target, each]) => may(each, target))
  const inner = kept.map(([target, each]) => [target, withoutHidden(each, may)] as const)
  if (inner.length === registered.size && inner.every(([target, each]) => registered.get(target) === each))
    return bundle
  // Resources are known by the key of their bundle.
  return { ...bundle, key: `${bundle.key} in part`, registered: new Map(inner) }
}
