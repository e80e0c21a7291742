import {
  chmodSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { recordDirectory } from '../../src/store/records/repository-layout.js'
import { gitSync } from '../support/program/run-synchronously.js'
import { createNote, registerNote, reviseNote } from '../support/repository/note-records.js'
import { temporaryRepository } from '../support/repository/test-repository.js'

/** A repository with a catalog, and the ids of some of its objects. */
export interface Whole {
  readonly dir: string
  readonly objects: Readonly<Record<ObjectKind, string>>
}

export const objectKinds = [
  'the commit of the head',
  'an older commit',
  'the root tree',
  'an inner tree',
  'a record.json',
  'a document',
  'a document of an older version',
] as const
export type ObjectKind = (typeof objectKinds)[number]

/** Storage of the objects: in a file each, or in a pack. */
export type Storage = 'loose' | 'packed'

/** Makes a repository with a schema, a note `one` in three versions, and two more notes. */
export async function makeWhole(storage: Storage): Promise<Whole> {
  const { dir, git, compose } = await temporaryRepository()
  const services = await compose()
  await registerNote(services)
  let one = await createNote(services, 'One, with some text', { id: 'one' })
  one = await reviseNote(services, one, 'One, second version')
  const older = one.commit
  await reviseNote(services, one, 'One, third version')
  await createNote(services, 'Two', { id: 'two' })
  await createNote(services, 'Three', { id: 'three' })
  await services.workTreeUpToDate()
  await services.close()
  await git('repack', '-a', '-d', '-q')
  if (storage === 'loose') unpack(join(dir, '.git'))
  const folder = recordDirectory('metadata', one.id)
  const objects = {
    'the commit of the head': await git('rev-parse', 'HEAD'),
    'an older commit': older,
    'the root tree': await git('rev-parse', 'HEAD^{tree}'),
    'an inner tree': await git('rev-parse', `HEAD:${folder}`),
    'a record.json': await git('rev-parse', `HEAD:${folder}/record.json`),
    'a document': await git('rev-parse', `HEAD:${folder}/document.json`),
    'a document of an older version': await git('rev-parse', `${older}:${folder}/document.json`),
  }
  return { dir, objects }
}

/** Stores every object in its own file. */
function unpack(gitDir: string): void {
  const folder = join(gitDir, 'objects/pack')
  const packs = readdirSync(folder).filter(name => name.endsWith('.pack'))
  const bytes = packs.map(name => readFileSync(join(folder, name)))
  for (const name of readdirSync(folder)) rmSync(join(folder, name))
  for (const input of bytes) gitSync(['unpack-objects', '-q'], gitDir, input)
}

/** Copies a repository, to damage the copy. */
export function copyOf({ dir }: Whole): string {
  const copy = join(mkdtempSync(join(tmpdir(), 'git-metastore-damage-')), 'data')
  cpSync(dir, copy, { recursive: true, preserveTimestamps: true })
  return copy
}

const fileDamages = {
  'bits flipped': (path: string) => flip(path, Math.floor(statSync(path).size / 2), 6),
  'cut off': (path: string) => truncateSync(path, Math.floor(statSync(path).size * 0.6)),
  empty: (path: string) => truncateSync(path, 0),
  missing: (path: string) => rmSync(path),
} as const
type FileDamage = keyof typeof fileDamages

function hurt(path: string, how: FileDamage): void {
  chmodSync(path, 0o644)
  fileDamages[how](path)
}

function flip(path: string, from: number, count: number): void {
  const bytes = readFileSync(path)
  for (let at = from; at < Math.min(from + count, bytes.length); at++)
    bytes[at] = (bytes[at] as number) ^ 0xff
  writeFileSync(path, bytes)
}

function git(dir: string, ...args: readonly string[]): string {
  return gitSync(args, dir).toString()
}

export interface Damage {
  readonly name: string
  readonly storage: Storage
  /** The object of the history that becomes unreadable. */
  readonly object?: ObjectKind
  /** Kind of the damage: it destroys objects, makes a ref unreadable, or affects derived files only. */
  readonly to: 'objects' | 'refs' | 'derived'
  readonly apply: (dir: string, whole: Whole) => void
}

function onlyPack(dir: string, ending: string): string {
  const folder = join(dir, '.git/objects/pack')
  const name = readdirSync(folder).find(each => each.endsWith(ending))
  return join(folder, name ?? '')
}

function objectDamages(): readonly Damage[] {
  return objectKinds.flatMap(object => [
    ...(Object.keys(fileDamages) as FileDamage[]).map(how => ({
      name: `${object}, loose: ${how}`,
      storage: 'loose' as const,
      to: 'objects' as const,
      object,
      apply: (dir: string, { objects }: Whole) =>
        hurt(join(dir, '.git/objects', objects[object].slice(0, 2), objects[object].slice(2)), how),
    })),
    {
      name: `${object}, packed: bits flipped`,
      storage: 'packed' as const,
      to: 'objects' as const,
      object,
      apply: (dir: string, { objects }: Whole) => {
        const pack = onlyPack(dir, '.pack')
        const entry = git(dir, 'verify-pack', '-v', pack)
          .split('\n')
          .find(line => line.startsWith(objects[object]))
          ?.split(/\s+/)
        chmodSync(pack, 0o644)
        flip(pack, Number(entry?.[4]) + 4, 6)
      },
    },
  ])
}

function packDamages(): readonly Damage[] {
  return ['.pack', '.idx'].flatMap(ending =>
    (Object.keys(fileDamages) as FileDamage[]).map(how => ({
      name: `the ${ending} file: ${how}`,
      storage: 'packed' as const,
      to: 'objects' as const,
      apply: (dir: string) => hurt(onlyPack(dir, ending), how),
    })),
  )
}

const garbage = (path: string) => writeFileSync(path, Buffer.alloc(120, 0x5f))

function refDamages(): readonly Damage[] {
  const file = (path: string, name: string, apply: (file: string) => void, pack = false): Damage => ({
    name: `${path}: ${name}`,
    storage: 'packed',
    to: 'refs',
    apply(dir) {
      if (pack) git(dir, 'pack-refs', '--all')
      apply(join(dir, '.git', path))
    },
  })
  return ['HEAD', 'refs/heads/main', 'packed-refs'].flatMap(path => [
    file(path, 'garbage', garbage, path === 'packed-refs'),
    file(path, 'zeros', at => writeFileSync(at, Buffer.alloc(41)), path === 'packed-refs'),
    file(path, 'empty', at => writeFileSync(at, ''), path === 'packed-refs'),
    file(path, 'cut off', at => truncateSync(at, Math.floor(statSync(at).size / 2)), path === 'packed-refs'),
    file(path, 'missing', at => rmSync(at), path === 'packed-refs'),
  ])
}

function derivedDamages(): readonly Damage[] {
  const file = (path: string, prepare: (dir: string) => void): readonly Damage[] =>
    (Object.keys(fileDamages) as FileDamage[]).map(how => ({
      name: `${path}: ${how}`,
      storage: 'packed',
      to: 'derived',
      apply(dir) {
        prepare(dir)
        hurt(join(dir, '.git', path), how)
      },
    }))
  return [
    ...file('objects/info/commit-graph', dir => git(dir, 'commit-graph', 'write', '--reachable')),
    ...file('objects/pack/multi-pack-index', dir => git(dir, 'multi-pack-index', 'write')),
    ...file('git-metastore/catalog.sqlite', () => undefined),
    ...file('index', () => undefined),
    {
      name: 'git-metastore/catalog.sqlite: garbage',
      storage: 'packed',
      to: 'derived',
      apply: dir => garbage(join(dir, '.git/git-metastore/catalog.sqlite')),
    },
  ]
}

/** Deletes the catalog, so that every command reads the history. */
export function withoutCatalog(dir: string): void {
  const folder = join(dir, '.git/git-metastore')
  if (!existsSync(folder)) return
  for (const name of readdirSync(folder)) if (name.includes('.sqlite')) rmSync(join(folder, name))
}

export const damages: readonly Damage[] = [
  ...objectDamages(),
  ...packDamages(),
  ...refDamages(),
  ...derivedDamages(),
]
