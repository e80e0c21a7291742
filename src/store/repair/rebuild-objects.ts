import { randomBytes } from 'node:crypto'
import { closeSync, fsyncSync, openSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Oid } from '../../core/value-types.js'
import { syncDirectory, undefinedIfMissingAsync } from '../file-system/durable-files.js'
import { MissingObject } from '../objects/object-reader.js'
import { openBufferedPackWriter } from '../packs/buffered-writer.js'
import { type NewObject, writePack } from '../packs/pack-writer.js'
import { packDirectory } from '../process/git-directory.js'
import { unusableRepository } from '../repository/inspect-folder.js'
import { openDamagedPack } from './damaged-pack.js'
import { type DamagedFile, linkIntactFiles } from './link-intact-files.js'
import { createTemporaryRepository, type TemporaryRepository } from './temporary-repository.js'

/**
 * The objects of a damaged repository, put together beside it: first the files in which all is well, then what is left
 * of the others, then what another repository has. Nothing of the repository is changed before {@link install}.
 */
export interface ObjectRebuild {
  readonly damaged: readonly DamagedFile[]
  /** All objects there are by now. */
  readonly store: TemporaryRepository
  /** Adds from a whole store what is lacking here. @returns how many objects */
  take(source: TemporaryRepository, wanted: readonly Oid[]): Promise<number>
  /** Puts every new pack in place, durably, and moves the damaged files aside. */
  install(): Promise<void>
  /** Moves a file of the Git directory into the folder of damaged ones. */
  setAside(path: string): Promise<void>
  /** A further empty store, gone with the others at the end. */
  another(): Promise<TemporaryRepository>
  close(): Promise<void>
}

export interface RepairPlace {
  /** Path of the git binary. */
  readonly git: string
  readonly gitDir: string
  /** For temporary files, on the same file system: must not exist. */
  readonly folder: string
  /** Where damaged files are moved to. */
  readonly asideDir: string
}

/** Bytes of objects that are written as one pack. */
const portion = 32 * 1024 * 1024

/** Only the holder of the writer lock may {@link ObjectRebuild.install} anything. */
export async function openObjectRebuild({
  git,
  gitDir,
  folder,
  asideDir,
}: RepairPlace): Promise<ObjectRebuild> {
  await mkdir(folder)
  const store = await createTemporaryRepository(git, join(folder, 'whole'))
  const damaged = await linkIntactFiles(gitDir, store, folder)
  const linked = new Set((await store.packs()).map(pack => basename(pack)))
  await salvage()

  /** Adds what can still be read of damaged packs. */
  async function salvage(): Promise<void> {
    const reader = store.reader()
    try {
      for (const { pack } of damaged) {
        if (pack === undefined) continue
        const remains = await openDamagedPack(`${pack}.pack`, `${pack}.idx`, async oid => {
          try {
            return await reader.read(oid)
          } catch (error) {
            if (error instanceof MissingObject) return undefined
            throw error
          }
        })
        if (!remains) continue
        try {
          const known = await store.having(remains.oids)
          const sink = openBufferedPackWriter(portion, add)
          for (const oid of remains.oids) {
            const object = known.has(oid) ? undefined : await remains.read(oid)
            if (object) await sink.write({ oid, ...object })
          }
          await sink.end()
        } finally {
          await remains.close()
        }
      }
    } finally {
      await reader.close()
    }
  }

  async function add(objects: readonly NewObject[]): Promise<void> {
    const pack = await writePack(store.gitDir, folder, objects)
    pack.release()
  }

  async function setAside(path: string): Promise<void> {
    const to = join(asideDir, path)
    await mkdir(dirname(to), { recursive: true })
    await rename(join(gitDir, path), to)
    for (const changed of [join(gitDir, path), to]) syncDirectory(dirname(changed))
  }

  async function place(from: string, to: string): Promise<void> {
    const file = openSync(from, 'r')
    try {
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    await rename(from, to)
  }

  return {
    damaged,
    store,
    async take(source, wanted) {
      const there = await source.having(wanted)
      const all = there.size === 0 ? [] : await source.closure(there)
      const known = await store.having(all)
      const missing = all.filter(oid => !known.has(oid))
      if (missing.length === 0) return 0
      const input = missing.map(oid => `${oid}\n`).join('')
      const made = await source.git(['pack-objects', '-q', join(packDirectory(store.gitDir), 'pack')], input)
      if (made.code !== 0)
        throw unusableRepository(`What was fetched cannot be packed. Git says: ${made.stderr}`)
      await salvage()
      return missing.length
    },
    async install() {
      const target = packDirectory(gitDir)
      const left = new Set(damaged.map(({ path }) => path))
      /** What takes the place of a damaged file comes right after that has gone. */
      const clear = async (path: string) => {
        if (left.delete(path)) await undefinedIfMissingAsync(setAside(path))
      }
      await mkdir(target, { recursive: true })
      for (const pack of await store.packs()) {
        const name = basename(pack)
        if (linked.has(name)) continue
        for (const ending of ['pack', 'idx']) {
          await clear(`objects/pack/${name}.${ending}`)
          await place(`${pack}.${ending}`, join(target, `${name}.${ending}`))
        }
      }
      for (const { path, renewed } of damaged) {
        if (renewed === undefined) continue
        await clear(path)
        await place(renewed, join(gitDir, path))
      }
      syncDirectory(target)
      for (const path of left) await setAside(path)
    },
    setAside,
    another: () => createTemporaryRepository(git, join(folder, randomBytes(6).toString('hex'))),
    close: () => rm(folder, { recursive: true, force: true }),
  }
}
