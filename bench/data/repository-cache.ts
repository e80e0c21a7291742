import { existsSync } from 'node:fs'
import { cp, link, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { compose } from '../../src/compose/compose.js'
import { defaults } from '../../src/config.js'
import { git } from '../baselines/plain-git.js'
import { generate } from './generate-repository.js'

/** The properties of a generated repository. */
export interface Size {
  readonly records: number
  /** Average number of versions of a record; default: 1. */
  readonly versions?: number
  readonly bare: boolean
  /** Share of the metadata records that everyone may read; default: 0.8. */
  readonly shown?: number
  /** Whether documents have a title only, and commits many records: made in minutes. */
  readonly brief?: boolean
}

/** Records of a commit of a repository with brief documents. */
const together = 1000

/** Seed and number of schemas of all generated repositories. */
export const seed = 'bench'
export const schemas = 10

export interface Repositories {
  /** Returns a generated repository with a current catalog. It is made at most once, and callers must not change it. */
  template(size: Size): Promise<string>
  /** Provides a copy that may be changed, and removes it afterwards. */
  withCopy<T>(size: Size, use: (dir: string) => Promise<T>): Promise<T>
  /** Provides an empty folder, and removes it afterwards. */
  withFolder<T>(use: (folder: string) => Promise<T>): Promise<T>
  close(): Promise<void>
}

/** Number of records from which a repository with a work tree is used in place, because a copy would take minutes. */
const tooManyToCopy = 200_000

/** @param keep folder for generated repositories; without it, they are removed at the end */
export async function openRepositories(keep: string | undefined): Promise<Repositories> {
  const own = keep === undefined ? await temporary() : undefined
  const folder = resolve(own ?? (keep as string))
  await mkdir(folder, { recursive: true })
  const ready = new Map<string, Promise<string>>()
  // Uses the disk of the templates, so that packs can be linked instead of copied.
  const withFolder = async <T>(use: (folder: string) => Promise<T>): Promise<T> => {
    const scratch = await mkdtemp(join(folder, 'copy-'))
    try {
      return await use(scratch)
    } finally {
      await rm(scratch, { recursive: true, force: true, maxRetries: 3 })
    }
  }

  async function make({ records, versions = 1, bare, shown, brief = false }: Size): Promise<string> {
    const open = shown === undefined ? '' : `-${shown}-shown`
    const name = `${records}-records-${versions}-versions${open}${brief ? '-brief' : ''}${bare ? '.git' : ''}`
    const dir = join(folder, name)
    if (!existsSync(dir)) {
      const part = join(folder, `${name}.part`)
      await rm(part, { recursive: true, force: true })
      say(`Making a repository of ${records.toLocaleString('en')} records…`)
      const commits = brief ? { brief, together } : {}
      await generate(part, { records, versions, schemas, seed, bare, shown, ...commits })
      await rename(part, dir)
      if (!bare) git(dir, 'update-index', '-q', '--refresh')
    }
    await bringCatalogUpToDate(dir)
    return dir
  }

  function template(size: Size): Promise<string> {
    const key = JSON.stringify([size.records, size.versions ?? 1, size.bare, size.shown, size.brief])
    const made = ready.get(key) ?? make(size)
    ready.set(key, made)
    return made
  }

  return {
    template,
    withFolder,
    async withCopy(size, use) {
      const from = await template(size)
      if (!size.bare && size.records > tooManyToCopy) return await use(from)
      return await withFolder(async scratch => {
        const dir = join(scratch, 'data')
        await copyRepository(from, dir, size.bare)
        return await use(dir)
      })
    },
    async close() {
      if (own !== undefined) await rm(own, { recursive: true, force: true, maxRetries: 3 })
    },
  }
}

function temporary(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'git-metastore-bench-'))
}

/** Copies a repository. Links its packs, because git never changes a pack and removes only its name. */
export async function copyRepository(from: string, to: string, bare: boolean): Promise<void> {
  const packs = join(bare ? '' : '.git', 'objects', 'pack')
  const source = join(from, packs)
  await cp(from, to, {
    recursive: true,
    preserveTimestamps: true,
    filter: path => !path.startsWith(`${source}/`),
  })
  for (const name of await readdir(source)) await link(join(source, name), join(to, packs, name))
  if (!bare) git(to, 'update-index', '-q', '--refresh')
}

async function bringCatalogUpToDate(data: string): Promise<void> {
  const services = await compose({ ...defaults, data }, { report: say })
  await services.workTreeUpToDate()
  await services.close()
}

export function say(line: string): void {
  process.stderr.write(`${line}\n`)
}
