import { constants } from 'node:fs'
import { access, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { type Collection, collectionNames } from '../../core/records/collection.js'
import type { Repository } from '../../store/repository/open-repository.js'

/** Space of a disk in bytes. */
export interface DiskSpace {
  readonly total: number
  /** Space that the user of the service may still fill. */
  readonly free: number
}

/** Reads the space of the disk with the records of each kind. Leaves a kind out if its folder cannot be written to. */
export type ReadSpace = () => Promise<Partial<Readonly<Record<Collection, DiskSpace>>>>

/** Reads the space of the disks with the records. */
export function openDiskSpace({ dir, gitDir, bare }: Repository): ReadSpace {
  async function spaceOf(kind: Collection): Promise<DiskSpace | undefined> {
    const own = join(dir, collectionNames[kind])
    // Git keeps no empty folders: a kind has no folder before its first record.
    const folder = bare ? gitDir : (await stateOf(own)) === 'missing' ? dir : own
    if ((await stateOf(folder)) !== 'writable') return undefined
    const { blocks, bavail, bsize } = await statfs(folder)
    return { total: blocks * bsize, free: bavail * bsize }
  }

  return async () => {
    const [schema, metadata] = await Promise.all([spaceOf('schema'), spaceOf('metadata')])
    return { ...(schema ? { schema } : {}), ...(metadata ? { metadata } : {}) }
  }
}

type State = 'writable' | 'missing' | 'unusable'

const states: Readonly<Record<string, State>> = {
  ENOENT: 'missing',
  ENOTDIR: 'unusable',
  EACCES: 'unusable',
  EPERM: 'unusable',
  EROFS: 'unusable',
}

async function stateOf(folder: string): Promise<State> {
  try {
    await access(folder, constants.W_OK | constants.X_OK)
    return (await stat(folder)).isDirectory() ? 'writable' : 'unusable'
  } catch (error) {
    const state = states[(error as NodeJS.ErrnoException).code ?? '']
    if (state === undefined) throw error
    return state
  }
}
