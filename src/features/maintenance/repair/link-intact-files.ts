import { hash } from 'node:crypto'
import { copyFile, cp, link, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { inflateSync } from 'node:zlib'
import {
  errorCode,
  isWithoutHardLinks,
  undefinedIfMissingAsync,
} from '../../../store/file-system/file-errors.js'
import type { GitResult } from '../../../store/git-commands/git-command.js'
import { packFolder } from '../../../store/git-commands/git-directory.js'
import { readAlternates } from '../../../store/git-commands/retry-while-packs-change.js'
import { isObjectDamage } from '../../../store/objects/object-errors.js'
import type { TemporaryRepository } from './temporary-repository.js'

/** A damaged or missing file of a repository. */
export interface DamagedFile {
  /** Path relative to the Git directory. */
  readonly path: string
  readonly what: string
  /** Path of a replacement for the file; undefined if there is none. */
  readonly renewed?: string
  /** If the file is a pack that may have intact objects: its path without the ending. */
  readonly pack?: string
}

/**
 * Reads all objects of a repository and links its intact files into another repository.
 * @param folder gets the files that are rebuilt
 * @returns the damaged files
 */
export async function linkIntactFiles(
  gitDir: string,
  store: TemporaryRepository,
  folder: string,
): Promise<readonly DamagedFile[]> {
  await borrowAsBefore(gitDir, store)
  const damaged = [...(await linkPacks(gitDir, store, folder)), ...(await linkLoose(gitDir, store))]
  return [...damaged, ...(await derivedFiles(gitDir, store, damaged))]
}

/** Makes the other repository use the same alternates. Objects there are not checked. */
async function borrowAsBefore(gitDir: string, store: TemporaryRepository): Promise<void> {
  const folders = await readAlternates(join(gitDir, 'objects'))
  if (folders.length === 0) return
  await writeFile(join(store.gitDir, 'objects', 'info', 'alternates'), `${folders.join('\n')}\n`)
}

async function linkPacks(gitDir: string, store: TemporaryRepository, folder: string): Promise<DamagedFile[]> {
  const source = packFolder(gitDir)
  const target = packFolder(store.gitDir)
  const files = new Set((await undefinedIfMissingAsync(readdir(source))) ?? [])
  const names = new Set([...files].map(file => /^(pack-[0-9a-f]{40})\.(?:pack|idx)$/.exec(file)?.[1]))
  const damaged: DamagedFile[] = []
  const note = (file: string, more: Omit<DamagedFile, 'path'>) =>
    damaged.push({ path: relative(gitDir, join(source, file)), ...more })

  for (const name of [...names].sort()) {
    if (name === undefined) continue
    const [pack, index] = [`${name}.pack`, `${name}.idx`]
    // These are auxiliary files, which are useless without the pack.
    const others = [...files].filter(file => file.startsWith(`${name}.`) && file !== pack && file !== index)
    const noteOthers = (what: string) => {
      for (const file of files.has(index) ? [index, ...others] : others) note(file, { what })
    }
    if (!files.has(pack)) {
      noteOthers('its pack is missing')
      continue
    }
    if (!(await stat(join(source, pack))).isFile()) {
      note(pack, { what: 'it is no file' })
      noteOthers('its pack is damaged')
      continue
    }
    const verified = files.has(index) ? await store.git(['verify-pack', join(source, index)]) : undefined
    const renewed = join(folder, index)
    if (verified?.code !== 0) {
      const made = await store.git(['index-pack', '-o', renewed, join(source, pack)])
      if (made.code !== 0) {
        note(pack, { what: complaintOf(made), ...(files.has(index) && { pack: join(source, name) }) })
        noteOthers('its pack is damaged')
        continue
      }
      note(index, { what: files.has(index) ? 'it does not fit its pack' : 'it is missing', renewed })
    }
    await linkOrCopy(join(source, pack), join(target, pack))
    await linkOrCopy(verified?.code === 0 ? join(source, index) : renewed, join(target, index))
  }
  return damaged
}

async function linkLoose(gitDir: string, store: TemporaryRepository): Promise<DamagedFile[]> {
  const damaged: DamagedFile[] = []
  const source = join(gitDir, 'objects')
  for (const prefix of (await readdir(source)).filter(name => /^[0-9a-f]{2}$/.test(name)).sort()) {
    const target = join(store.gitDir, 'objects', prefix)
    await mkdir(target)
    if (!(await stat(join(source, prefix))).isDirectory()) {
      damaged.push({ path: `objects/${prefix}`, what: 'it is no folder' })
      continue
    }
    for (const name of await readdir(join(source, prefix))) {
      if (!/^[0-9a-f]{38}$/.test(name)) continue
      const path = join(source, prefix, name)
      const what = await faultOfLoose(path, prefix + name)
      if (what === undefined) await linkOrCopy(path, join(target, name))
      else damaged.push({ path: relative(gitDir, path), what })
    }
  }
  return damaged
}

/** Links a file, or copies it on a file system without hard links. @see link(2), "ERRORS" */
async function linkOrCopy(from: string, to: string): Promise<void> {
  try {
    await link(from, to)
  } catch (error) {
    if (!isWithoutHardLinks(error)) throw error
    await copyFile(from, to)
  }
}

async function faultOfLoose(path: string, oid: string): Promise<string | undefined> {
  try {
    const name = hash('sha1', inflateSync(await readFile(path)))
    return name === oid ? undefined : `its bytes have the name ${name}`
  } catch (error) {
    if (error instanceof Error && /^Z_/.test(errorCode(error) ?? ''))
      return `it cannot be unpacked: ${error.message}`
    if (errorCode(error) === 'EIO') return 'the disk cannot read it'
    if (errorCode(error) === 'EISDIR') return 'it is a folder'
    throw error
  }
}

/** Finds damaged derived files. Git can rebuild these files and works without them. */
async function derivedFiles(
  gitDir: string,
  store: TemporaryRepository,
  damaged: readonly DamagedFile[],
): Promise<readonly DamagedFile[]> {
  const found: DamagedFile[] = []
  const objects = join(gitDir, 'objects')
  const packs = (await undefinedIfMissingAsync(readdir(packFolder(gitDir)))) ?? []
  const lessPacks = damaged.some(({ path, renewed }) => path.includes('pack-') && renewed === undefined)
  if (packs.includes('multi-pack-index') && lessPacks) {
    found.push({ path: 'objects/pack/multi-pack-index', what: 'it counts on packs that are damaged' })
  } else if (packs.includes('multi-pack-index')) {
    const copy = join(packFolder(store.gitDir), 'multi-pack-index')
    await copyFile(join(packFolder(gitDir), 'multi-pack-index'), copy)
    const fits = await isVerified(store, 'multi-pack-index')
    await rm(copy)
    if (!fits) found.push({ path: 'objects/pack/multi-pack-index', what: 'it does not fit the packs' })
  }
  const about = (await undefinedIfMissingAsync(readdir(join(objects, 'info')))) ?? []
  for (const name of ['commit-graph', 'commit-graphs'].filter(graph => about.includes(graph))) {
    // Verify a copy against the intact objects.
    const copy = join(store.gitDir, 'objects', 'info', name)
    await cp(join(objects, 'info', name), copy, { recursive: true })
    const fits = await isVerified(store, 'commit-graph')
    await rm(copy, { recursive: true })
    if (!fits) found.push({ path: `objects/info/${name}`, what: 'it does not fit the commits' })
  }
  return found
}

/** Whether a derived file is intact, as git says. Git even crashes if such a file is damaged in some ways. */
async function isVerified(
  store: TemporaryRepository,
  file: 'multi-pack-index' | 'commit-graph',
): Promise<boolean> {
  try {
    return (await store.git([file, 'verify'])).code === 0
  } catch (thrown) {
    if (isObjectDamage(thrown)) return false
    throw thrown
  }
}

function complaintOf({ stderr, code }: GitResult): string {
  const lines = stderr.split('\n').filter(line => /^(fatal|error): /.test(line))
  return lines.at(-1)?.replace(/^\w+: /, '') ?? `git index-pack ended with ${code}`
}
