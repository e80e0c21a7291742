import type { Random } from '../../bench/data/seeded-random.js'
import type { Answer, Target } from './fuzz-target.js'
import { bytesOf, type Request } from './shrinkable-request.js'

export type Kind = 'schemas' | 'metadata'

/** A record as the server last showed it to this client. */
export interface Known {
  readonly kind: Kind
  readonly id: string
  readonly etag: string
  readonly version: number
  /** Undefined if the record was removed or the client may no longer read it. */
  readonly document: Buffer | undefined
  /** The documents of the versions that this client has seen, by version number. */
  readonly versions: ReadonlyMap<number, Buffer>
  /** For metadata: the schema that the record follows, and the version of the schema. */
  readonly follows: readonly [id: string, version: number] | undefined
  /** Whether the first of two DELETEs succeeded. */
  readonly revoked: boolean
}

/**
 * The state that a server must have, derived from its answers. After the start it changes only by acknowledged writes,
 * so it shows what the repository must still contain.
 */
export interface Model {
  /** Records whose documents can be read. */
  there(kind: Kind): readonly Known[]
  etag(kind: Kind, id: string): string | undefined
  /**
   * Checks an exchange and updates the model.
   * @param moved whether the branch moved during the exchange
   * @returns complaints
   */
  note(request: Request, answer: Answer, moved: boolean): Promise<readonly string[]>
  /**
   * Reads some records again, or all: their number, their state and their versions.
   * @param random chooses the records; default: all
   * @returns changes without an acknowledged write
   */
  check(random?: Random): Promise<readonly string[]>
}

const route = /^(?:\/metastore|\/repository)?\/api\/v[12]\/(schemas|metadata)(?:\/([^/]+)?)?$/
const recordTypes = {
  schemas: 'application/vnd.repository.schema-record+json',
  metadata: 'application/vnd.repository.metadata-record+json',
} as const

/** @returns a model that begins with the records of the server */
export async function openModel(target: Target): Promise<Model> {
  const known = new Map<string, Known>()
  const keyOf = (kind: Kind, id: string) => `${kind}/${id}`

  function get(path: string, query: readonly string[] = [], accept?: string): Promise<Answer> {
    const headers = accept === undefined ? [] : [['Accept', accept] as const]
    return target.ask({ method: 'GET', path: `/api/v1/${path}`, query, headers })
  }

  const addressOf = (kind: Kind, id: string) => `${kind}/${encodeURIComponent(id)}`

  async function look(kind: Kind, id: string, revoked = false): Promise<Known> {
    const record = await get(addressOf(kind, id), [], recordTypes[kind])
    const answer = await get(addressOf(kind, id))
    const json = record.status === 200 ? JSON.parse(record.body.toString()) : {}
    // A metadata record has a schema version, too: that of its schema.
    const version = Number((kind === 'schemas' ? json.schemaVersion : json.recordVersion) ?? 0)
    const document = answer.status === 200 ? answer.body : undefined
    const versions = new Map(known.get(keyOf(kind, id))?.versions)
    if (document && !versions.has(version)) versions.set(version, document)
    return {
      kind,
      id,
      etag: String(record.headers.etag ?? ''),
      version,
      document,
      versions,
      follows: followed(json.schema?.identifier ?? ''),
      revoked,
    }
  }

  /** The total number of entries of a list. */
  async function totalOf(list: string): Promise<number> {
    const { headers } = await get(list, ['size=1'])
    return Number(/\/(\d+)$/.exec(String(headers['content-range'] ?? ''))?.[1])
  }

  const there = (kind: Kind) =>
    [...known.values()].filter(each => each.kind === kind && each.document !== undefined)

  async function countsDiffer(): Promise<readonly string[]> {
    const wrong: string[] = []
    for (const kind of ['schemas', 'metadata'] as const) {
      const [listed, made] = [await totalOf(kind), there(kind).length]
      if (listed !== made) wrong.push(`${listed} ${kind} are listed; there are ${made}`)
    }
    return wrong
  }

  /** @param past position, from 0, of the checked version among the versions that this client has seen */
  async function versionsDiffer(
    { kind, id, version, versions }: Known,
    past: number,
  ): Promise<readonly string[]> {
    const wrong: string[] = []
    const [number, bytes] = [...versions][past] ?? []
    if (number !== undefined && bytes) {
      const { status, body } = await get(addressOf(kind, id), [`version=${number}`])
      if (status !== 200 || !body.equals(bytes))
        wrong.push(`version ${number} of ${kind} ${id} is not what it was, but ${status}`)
    }
    const listed = await totalOf(`${addressOf(kind, id)}/versions`)
    if (listed !== version) wrong.push(`${listed} versions of ${kind} ${id} are listed; there are ${version}`)
    return wrong
  }

  function wrongWith(
    before: Known | undefined,
    after: Known,
    request: Request,
    answer: Answer,
  ): readonly string[] {
    const wrong: string[] = []
    const told = String(answer.headers.etag ?? '')
    if (answer.status !== 204 && told !== '' && told !== after.etag) {
      wrong.push(`${after.id} has the ETag ${after.etag} now; its writer was told ${told}`)
    }
    if (!before || after.document === undefined) return wrong
    if (before.document === undefined && before.etag !== '' && request.method !== 'POST') return wrong
    const step = after.version - before.version
    if (step !== 0 && step !== 1 && before.document !== undefined) {
      wrong.push(`${after.id} went from version ${before.version} to ${after.version} by one update`)
    }
    const condition = request.headers
      .filter(([name]) => name.toLowerCase() === 'if-match')
      .map(([, value]) => value)
    if (
      request.method !== 'POST' &&
      before.etag !== after.etag &&
      !condition.some(value => value.includes(before.etag) || value.trim() === '*')
    ) {
      wrong.push(`${after.id} was changed though If-Match was ${condition.join(', ')}, not ${before.etag}`)
    }
    return wrong
  }

  /** A stored document must occur in the body of the request. A mutated header can change where a part begins. */
  function isSent(request: Request, { document }: Known): boolean {
    return document !== undefined && bytesOf(request)?.includes(document) === true
  }

  async function noteWrite(request: Request, answer: Answer, kind: Kind, named: string | undefined) {
    const isNew = named === undefined
    if (isNew && answer.status !== 201) return []
    const told = answer.body.length > 0 && answer.status !== 204 ? JSON.parse(answer.body.toString()) : {}
    const id = String(told.schemaId ?? told.id ?? decodeURIComponent(named ?? ''))
    const key = keyOf(kind, id)
    if (!isNew && !known.has(key)) return await noteDeletionByOtherName(kind, id)
    const before = known.get(key)
    const after = await look(kind, id, request.method === 'DELETE')
    known.set(key, after)
    const wrong = [...wrongWith(before, after, request, answer)]
    if (isNew && after.document === undefined) wrong.push(`${id} was created, and cannot be read`)
    if (isNew && after.document !== undefined && !isSent(request, after)) {
      wrong.push(`${id} has another document than the one that was sent`)
    }
    if (request.method === 'PUT' && !isSent(request, after) && before?.document && after.document) {
      if (!before.document.equals(after.document)) wrong.push(`${id} has a document that was not sent`)
    }
    return wrong
  }

  /**
   * Updates the model after a DELETE by another name than the id. The answer does not contain the id.
   * @see docs/contract.md#names-of-a-record
   */
  async function noteDeletionByOtherName(kind: Kind, name: string): Promise<readonly string[]> {
    const changed: string[] = []
    for (const before of [...known.values()].filter(each => each.kind === kind)) {
      const after = await look(kind, before.id, true)
      if (after.etag === before.etag) continue
      changed.push(before.id)
      known.set(keyOf(kind, before.id), after)
    }
    return changed.length === 1
      ? []
      : [`one DELETE of ${kind} ${name} changed ${changed.length} records: ${changed.join(', ')}`]
  }

  async function refresh(): Promise<void> {
    for (const { kind, id } of known.values()) known.set(keyOf(kind, id), await look(kind, id))
  }

  for (const kind of ['schemas', 'metadata'] as const) {
    const { body } = await get(kind, ['size=1000'])
    for (const { schemaId, id } of JSON.parse(body.toString())) {
      const name = String(kind === 'schemas' ? schemaId : id)
      known.set(keyOf(kind, name), await look(kind, name))
    }
  }

  return {
    there,
    etag: (kind, id) => known.get(keyOf(kind, id))?.etag,
    async note(request, answer, moved) {
      const isWrite = ['POST', 'PUT', 'DELETE'].includes(request.method)
      const isGood = answer.status >= 200 && answer.status < 300
      if (!moved) return []
      if (!isWrite || !isGood) return [`the branch has moved by a request that was answered ${answer.status}`]
      const [, kind, id] = route.exec(request.path) ?? []
      if (kind !== undefined) return await noteWrite(request, answer, kind as Kind, id)
      if (/\/api\/changesets$/.test(request.path)) {
        const { records } = JSON.parse(answer.body.toString()) as {
          readonly records: readonly { readonly kind: 'schema' | 'metadata'; readonly id: string }[]
        }
        for (const { kind, id } of records) {
          const place = kind === 'schema' ? 'schemas' : 'metadata'
          known.set(keyOf(place, id), await look(place, id))
        }
        return []
      }
      if (/\/repository\.git\/git-receive-pack$/.test(request.path)) {
        await refresh()
        return []
      }
      return [`the branch has moved by ${request.method} ${request.path}`]
    },
    async check(random) {
      const all = [...known.values()]
      const some = random && all.length > 5 ? Array.from({ length: 5 }, () => random.pick(all)) : all
      const wrong = [...(await countsDiffer())]
      for (const before of some) {
        const after = await look(before.kind, before.id)
        if (after.etag !== before.etag || after.version !== before.version) {
          wrong.push(`${before.kind} ${before.id} was ${before.etag}, and is ${after.etag}`)
        }
        if (!sameBytes(before.document, after.document)) {
          wrong.push(`the document of ${before.kind} ${before.id} is another one`)
        }
        const past = random ? random.below(before.versions.size) : 0
        if (before.document !== undefined) wrong.push(...(await versionsDiffer(before, past)))
      }
      return wrong
    },
  }
}

/** @param address URL of a schema version, as records contain it */
function followed(address: string): Known['follows'] {
  const [, id, version] = /\/schemas\/([^/?]+)\?version=(\d+)$/.exec(address) ?? []
  return id === undefined ? undefined : [decodeURIComponent(id), Number(version)]
}

function sameBytes(a: Buffer | undefined, b: Buffer | undefined): boolean {
  return a === undefined || b === undefined ? a === b : a.equals(b)
}
