import { type ClusterClient, ClusterError } from './cluster-client.js'
import type { ClusterState, Generation } from './cluster-state.js'
import type { IndexNames } from './index-names.js'
import { fullIndex, indexTemplate } from './index-template.js'

/**
 * Manages the indices of this service in the cluster. A generation is one complete set of them, with an index for each
 * schema. Several generations can exist at once; the aliases point to the indices of the one that answers searches.
 */
export interface Generations {
  /**
   * Writes the template and reads which indices there are. Creates missing aliases of the current generation, unless
   * the next one answers already. Removes the aliases of all generations but these two, and deletes indices of earlier
   * generations that the state does not name.
   * @throws ClusterError
   */
  prepare(state: ClusterState): Promise<void>
  /** Creates the index of an alias in a generation, if there is none yet. @returns its name @throws ClusterError */
  ensure(alias: string, generation: number, isCurrent: boolean): Promise<string>
  /**
   * Lets an index with very many fields take documents with further paths, which become no fields.
   * @throws ClusterError
   */
  makeRoom(index: string): Promise<void>
  /** Makes documents of a generation that were sent before searchable. @throws ClusterError */
  refresh(generation: number): Promise<void>
  /**
   * Replaces the generation that answers, in one step. The step also deletes an index that has the name of an alias:
   * existing index services create such indices.
   * @throws ClusterError
   */
  publish(generation: number): Promise<void>
  /** Deletes the indices of a generation. @throws ClusterError */
  remove(generation: number): Promise<void>
  /** The highest generation that has an index; 0: there is none. */
  latest(): number
}

type AliasesByIndex = Readonly<Record<string, { readonly aliases?: object }>>
type AliasAction = Readonly<
  Record<'add' | 'remove' | 'remove_index', { readonly index: string; readonly alias?: string }>
>

/** @param report takes a line for the operator */
export function openGenerations(
  client: ClusterClient,
  names: IndexNames,
  report: (line: string) => void,
): Generations {
  let indices = new Set<string>()

  /** The indices of all generations, and whether each answers searches. */
  async function listIndices(): Promise<ReadonlyMap<string, boolean>> {
    const aliasesByIndex = (await client.find<AliasesByIndex>(`${names.pattern}/_alias`)) ?? {}
    return new Map(
      Object.entries(aliasesByIndex)
        .filter(([index]) => names.generationOf(index) !== undefined)
        .map(([index, { aliases = {} }]) => [index, Object.hasOwn(aliases, names.all)]),
    )
  }

  const ofGeneration = (generation: number) =>
    [...indices].filter(index => names.generationOf(index) === generation)

  const attach = (added: readonly string[], removed: readonly string[]) =>
    moveAliases({ client, names, report }, added, removed)

  async function deleteIndex(index: string): Promise<void> {
    await client.send('DELETE', `${index}?ignore_unavailable=true`)
    indices.delete(index)
  }

  return {
    async prepare(state) {
      await client.send('PUT', `_index_template/${names.template}`, { body: indexTemplate(names) })
      const listed = await listIndices()
      indices = new Set(listed.keys())
      if (!state.current) return
      const { added, removed, deleted } = corrections(state, state.current, listed, names)
      await attach(added, removed)
      for (const index of deleted) await deleteIndex(index)
    },
    async ensure(alias, generation, isCurrent) {
      const index = names.indexOf(alias, generation)
      if (indices.has(index)) return index
      await createIndex(client, index)
      if (isCurrent) await attach([index], [])
      indices.add(index)
      return index
    },
    async makeRoom(index) {
      await client.send('PUT', `${index}/_mapping`, { body: fullIndex.mapping })
      await client.send('PUT', `${index}/_settings`, { body: fullIndex.settings })
      report(
        `The index ${index} of ${client.address} has as many fields as it may have. Searches of this server find all paths; ` +
          'clients that ask the cluster themselves find further ones by the words of the document.',
      )
    },
    async refresh(generation) {
      if (ofGeneration(generation).length === 0) return
      await client.send('POST', `${names.ofGeneration(generation)}/_refresh`)
    },
    async publish(generation) {
      const listed = await listIndices()
      indices = new Set(listed.keys())
      const added = ofGeneration(generation)
      const removed = [...listed].filter(
        ([index, answers]) => answers && names.generationOf(index) !== generation,
      )
      await attach(
        added,
        removed.map(([index]) => index),
      )
    },
    async remove(generation) {
      // Another server may have created further indices.
      indices = new Set((await listIndices()).keys())
      for (const index of ofGeneration(generation)) await deleteIndex(index)
    },
    latest: () => Math.max(0, ...[...indices].map(index => names.generationOf(index) ?? 0)),
  }
}

/**
 * What to correct, so that the indices and their aliases match the state.
 * @param listed the indices of all generations, and whether each answers searches
 * @returns indices that get aliases, indices that lose them, and indices to delete
 */
function corrections(
  { next, retired }: ClusterState,
  current: Generation,
  listed: ReadonlyMap<string, boolean>,
  names: IndexNames,
) {
  const all = [...listed].map(([index, answers]) => {
    return { index, answers, generation: names.generationOf(index) ?? 0 }
  })
  // The next generation was published, but the state that names it as the current one was not written yet.
  const isReplaced = all.some(({ generation, answers }) => answers && generation === next?.number)
  // A server was killed after it had created these indices, before they got their aliases.
  const lacking = all.filter(({ generation, answers }) => !answers && generation === current.number)
  // Another server may have created or published indices of other generations before it knew of the newer one.
  const others = all.filter(({ generation }) => generation !== current.number && generation !== next?.number)
  const kept = new Set(retired.map(({ number }) => number))
  const outdated = others.filter(({ generation }) => generation < current.number && !kept.has(generation))
  return {
    added: (isReplaced ? [] : lacking).map(({ index }) => index),
    removed: others.filter(({ answers }) => answers).map(({ index }) => index),
    deleted: outdated.map(({ index }) => index),
  }
}

/** Creates an index, unless another server of the repository has created it. */
async function createIndex(client: ClusterClient, index: string): Promise<void> {
  try {
    await client.send('PUT', index)
  } catch (error) {
    const exists = error instanceof ClusterError && error.message.includes('resource_already_exists')
    if (!exists) throw error
  }
}

interface AliasContext {
  readonly client: ClusterClient
  readonly names: IndexNames
  readonly report: (line: string) => void
}

/** Moves aliases in one request, which also deletes indices that have their names. */
async function moveAliases(
  { client, names, report }: AliasContext,
  added: readonly string[],
  removed: readonly string[],
): Promise<void> {
  const foreign = await foreignIndices(client, added.map(names.aliasOfIndex))
  for (const index of foreign)
    report(`The index ${index} of ${client.address} is replaced by an alias of this name.`)
  const each = (action: 'add' | 'remove', list: readonly string[]) =>
    list.flatMap(index => [
      { [action]: { index, alias: names.aliasOfIndex(index) } },
      { [action]: { index, alias: names.all } },
    ])
  const actions: readonly Partial<AliasAction>[] = [
    ...foreign.map(index => ({ remove_index: { index } })),
    ...each('remove', removed),
    ...each('add', added),
  ]
  if (actions.length > 0) await client.send('POST', '_aliases', { body: { actions } })
}

/** The indices that have the name of one of these aliases. */
async function foreignIndices(client: ClusterClient, aliases: readonly string[]): Promise<readonly string[]> {
  const foreign: string[] = []
  for (const alias of aliases) {
    const aliasesByIndex = await client.find<AliasesByIndex>(`${alias}/_alias`)
    if (aliasesByIndex && Object.hasOwn(aliasesByIndex, alias)) foreign.push(alias)
  }
  return foreign
}
