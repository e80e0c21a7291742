import { randomBytes } from 'node:crypto'
import { closeSync, fsyncSync, openSync } from 'node:fs'
import { copyFile, mkdir, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Oid } from '../../../core/value-types.js'
import { syncFolder } from '../../../store/file-system/durable-files.js'
import { undefinedIfMissingAsync } from '../../../store/file-system/file-errors.js'
import { packFolder } from '../../../store/git-commands/git-directory.js'
import { readIfPresent } from '../../../store/objects/object-reader.js'
import { openBufferedPackWriter } from '../../../store/packs/pack-writer.js'
import { unusableRepository } from '../../../store/repository-folder/inspect-folder.js'
import { type DamagedPack, openDamagedPack } from './damaged-pack.js'
import { type DamagedFile, linkIntactFiles } from './link-intact-files.js'
import { createTemporaryRepository, type TemporaryRepository } from './temporary-repository.js'

interface RepairPlace {
  /** Path of the git binary. */
  readonly git: string
  readonly gitDir: string
  /** Folder for temporary files, on the file system of the repository. It must not exist. */
  readonly folder: string
  /** Folder to which damaged files are moved. */
  readonly setAsideDir: string
}

/** Reads all objects of a damaged repository. Changes nothing in it. */
export async function openObjectRebuild(place: RepairPlace): Promise<ObjectRebuild> {
  const { git, gitDir, folder } = place
  await mkdir(folder)
  const store = await createTemporaryRepository(git, join(folder, 'whole'))
  const damaged = await linkIntactFiles(gitDir, store, folder)
  const linked = new Set((await store.packs()).map(pack => basename(pack)))
  const rebuild = new ObjectRebuild(place, store, damaged, linked)
  await rebuild.salvage()
  return rebuild
}

/**
 * Rebuilds the objects of a damaged repository in a temporary one: intact files first, then intact objects of damaged
 * packs, then objects of other repositories. {@link install} moves the result into the damaged repository.
 */
export class ObjectRebuild {
  /**
   * Begins with the intact files, which the temporary repository has already.
   * @param store the temporary repository with the rebuilt objects
   * @param linked names of the intact packs in it, which are hard links
   */
  constructor(
    private readonly place: RepairPlace,
    readonly store: TemporaryRepository,
    readonly damaged: readonly DamagedFile[],
    private readonly linked: ReadonlySet<string>,
  ) {}

  /** Adds the wanted objects and what they lead to from another repository. @returns the number of added objects */
  async take(source: TemporaryRepository, wanted: readonly Oid[]): Promise<number> {
    const found = await source.having(wanted)
    const all = found.size === 0 ? [] : await source.closure(found)
    const known = await this.store.having(all)
    const missing = all.filter(oid => !known.has(oid))
    if (missing.length === 0) return 0
    const input = missing.map(oid => `${oid}\n`).join('')
    const target = join(packFolder(this.store.gitDir), 'pack')
    const made = await source.git(['pack-objects', '-q', target], input)
    if (made.code !== 0)
      throw unusableRepository(`What was fetched cannot be packed. Git says: ${made.stderr}`)
    await this.salvage()
    return missing.length
  }

  /** Adds the intact objects of damaged packs. Repeat it after new objects, which may be bases of further deltas. */
  async salvage(): Promise<void> {
    const reader = this.store.reader()
    try {
      for (const { pack } of this.damaged) {
        if (pack === undefined) continue
        const elsewhere = (oid: Oid) => readIfPresent(reader, oid)
        const remains = await openDamagedPack(`${pack}.pack`, `${pack}.idx`, elsewhere)
        if (remains) await this.#copyObjects(remains).finally(() => remains.close())
      }
    } finally {
      await reader.close()
    }
  }

  /** Moves all new packs into the repository durably, and the damaged files aside. The caller holds the writer lock. */
  async install(): Promise<void> {
    const { gitDir } = this.place
    const target = packFolder(gitDir)
    const left = new Set(this.damaged.map(({ path }) => path))
    /** Moves a damaged file aside, right before its replacement is put there. */
    const clear = async (path: string) => {
      if (left.delete(path)) await undefinedIfMissingAsync(this.setAside(path))
    }
    await mkdir(target, { recursive: true })
    for (const pack of await this.store.packs()) {
      const name = basename(pack)
      if (this.linked.has(name)) continue
      for (const ending of ['pack', 'idx']) {
        await clear(`objects/pack/${name}.${ending}`)
        await moveDurably(`${pack}.${ending}`, join(target, `${name}.${ending}`))
      }
    }
    for (const { path, renewed } of this.damaged) {
      if (renewed === undefined) continue
      await clear(path)
      await moveDurably(renewed, join(gitDir, path))
    }
    syncFolder(target)
    for (const path of left) await this.setAside(path)
  }

  /** Moves a file of the Git directory into the folder of damaged files. */
  async setAside(path: string): Promise<void> {
    const { gitDir, setAsideDir } = this.place
    const to = join(setAsideDir, path)
    await mkdir(dirname(to), { recursive: true })
    await rename(join(gitDir, path), to)
    for (const changed of [join(gitDir, path), to]) syncFolder(dirname(changed))
  }

  /** Copies a file of the Git directory into the folder of damaged files. */
  async keepCopy(path: string): Promise<void> {
    const { gitDir, setAsideDir } = this.place
    await mkdir(dirname(join(setAsideDir, path)), { recursive: true })
    await copyFile(join(gitDir, path), join(setAsideDir, path))
  }

  /** Creates another empty temporary repository, which {@link close} removes too. */
  another(): Promise<TemporaryRepository> {
    const { git, folder } = this.place
    return createTemporaryRepository(git, join(folder, randomBytes(6).toString('hex')))
  }

  async close(): Promise<void> {
    await rm(this.place.folder, { recursive: true, force: true })
  }

  async #copyObjects({ oids, read }: DamagedPack): Promise<void> {
    const known = await this.store.having(oids)
    const sink = openBufferedPackWriter(this.store.gitDir, this.place.folder, pack => pack.release())
    for (const oid of oids) {
      const object = known.has(oid) ? undefined : await read(oid)
      if (object) await sink.write({ oid, ...object })
    }
    await sink.end()
  }
}

/** Syncs a file, then renames it. */
async function moveDurably(from: string, to: string): Promise<void> {
  const file = openSync(from, 'r')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  await rename(from, to)
}
