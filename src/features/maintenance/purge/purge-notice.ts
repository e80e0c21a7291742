import { type Id, type Oid, toInstant } from '../../../core/value-types.js'
import { encodeCommit, parseCommit, serviceIdentity } from '../../../store/objects/commit-format.js'
import { hashObject } from '../../../store/objects/hash-object.js'
import { fileMode, setTreeEntry } from '../../../store/objects/tree-format.js'
import type { NewObject } from '../../../store/packs/pack-writer.js'
import {
  encodePurgedRecords,
  parsePurgedRecords,
  purgedFileIn,
  purgedFileName,
} from '../../../store/repository/purged-records.js'
import type { PurgeRepository } from './purge-commands.js'
import type { PurgePlan } from './rewrite-without-record.js'

/**
 * Adds a commit to the new history that notes the id of the purged record, for harvesters. The commit has nothing else
 * of the record. If this run finishes a purge that an earlier run began, the commit may exist already.
 */
export async function withNotice(
  { objects, branch }: Pick<PurgeRepository, 'objects' | 'branch'>,
  plan: PurgePlan,
  id: Id,
  write: (object: NewObject) => Promise<void>,
): Promise<PurgePlan> {
  const { from, to: parent } = plan.head
  const { tree } = parseCommit(parent, (await objects.read(parent)).bytes)
  const root = (await objects.read(tree)).bytes
  const file = purgedFileIn(root)
  const noted = file === undefined ? [] : parsePurgedRecords((await objects.read(file)).bytes)
  if (plan.renamed.size === 0 && noted.some(each => each.id === id)) return plan
  const time = toInstant(Date.now())
  const add = async (type: NewObject['type'], bytes: Buffer): Promise<Oid> => {
    const oid = hashObject(type, bytes)
    await write({ oid, type, bytes })
    return oid
  }
  const blob = await add('blob', encodePurgedRecords([...noted.filter(each => each.id !== id), { id, time }]))
  const to = await add(
    'commit',
    encodeCommit({
      tree: await add('tree', setTreeEntry(root, purgedFileName, { mode: fileMode, oid: blob })),
      parents: [parent],
      author: serviceIdentity,
      time,
      subject: 'Note that a record is purged',
      trailers: [],
    }),
  )
  const others = plan.refs.filter(({ name }) => name !== branch)
  return { ...plan, head: { from, to }, refs: [...others, { name: branch, from, to }] }
}
