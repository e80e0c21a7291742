import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'

/** What a room may know: design, section 10. A file directly in `src` is a room of its own. */
const knows: Readonly<Record<string, readonly string[]>> = {
  core: [],
  config: ['core'],
  store: ['core'],
  catalog: ['store', 'core'],
  validation: ['core'],
  difference: ['core'],
  service: ['catalog', 'validation', 'difference', 'store', 'core'],
  http: ['service', 'catalog', 'core'],
  compose: ['service', 'catalog', 'validation', 'store', 'core', 'config'],
  cli: ['compose', 'config', 'http', 'service', 'catalog', 'validation', 'store', 'core'],
}

/** Packages that belong to some rooms alone. */
const homes: Readonly<Record<string, readonly string[]>> = {
  jose: ['http'],
  koa: ['http'],
  '@koa/router': ['http'],
  '@koa/multer': ['http'],
  multer: ['http'],
  'prom-client': ['http'],
  'rate-limiter-flexible': ['http'],
  pino: ['cli'],
  yargs: ['cli'],
  chokidar: ['catalog'],
  'isomorphic-git': ['store'],
  libsql: ['catalog', 'store'],
  'libxml2-wasm': ['validation'],
  libxmljs2: ['validation'],
}

interface Import {
  readonly file: string
  readonly room: string
  readonly target: string
}

describe('The rooms of the source', () => {
  const source = join(projectFolder(), 'src')

  it('know only the rooms to their right', async () => {
    const wrong = (await importsOf(source)).filter(({ room, file, target }) => {
      if (!target.startsWith('.')) return false
      const other = roomOf(source, resolve(source, dirname(file), target))
      return other !== room && !knows[room]?.includes(other)
    })

    expect(wrong.map(({ file, target }) => `${file} imports ${target}`)).to.deep.equal([])
  })

  it('are all named in the design', async () => {
    const rooms = new Set((await importsOf(source)).map(({ room }) => room))

    expect([...rooms].filter(room => !(room in knows))).to.deep.equal([])
  })

  it('keep the packages of one concern in one place', async () => {
    const wrong = (await importsOf(source)).filter(({ room, target }) => {
      const name = packageOf(target)
      return name !== undefined && homes[name]?.includes(room) === false
    })

    expect(wrong.map(({ file, target }) => `${file} imports ${target}`)).to.deep.equal([])
  })

  it('do not import in circles', async () => {
    const edges = new Map<string, string[]>()
    for (const { file, target, typeOnly } of await importsOf(source)) {
      if (typeOnly || !target.startsWith('.')) continue
      const to = relative(source, resolve(source, dirname(file), target)).replace(/\.js$/, '.ts')
      edges.set(file, [...(edges.get(file) ?? []), to])
    }

    expect(circleIn(edges)).to.equal(undefined)
  })
})

/** Statements that load something at run time; types alone make no circle, but they do make a dependency. */
const statement =
  /^\s*(?:import|export)\s+(type\s)?(?:[^'"]*?\sfrom\s+)?['"]([^'"]+)['"]|import\(\s*['"]([^'"]+)['"]\s*\)/gm

async function importsOf(source: string): Promise<readonly (Import & { readonly typeOnly: boolean })[]> {
  const names = (await readdir(source, { recursive: true })).filter(name => name.endsWith('.ts'))
  const found = names.map(async name => {
    const text = await readFile(join(source, name), 'utf8')
    return [...text.matchAll(statement)].map(([, type, named, loaded]) => ({
      file: name,
      room: roomOf(source, join(source, name)),
      target: named ?? loaded ?? '',
      typeOnly: type !== undefined,
    }))
  })
  const all = (await Promise.all(found)).flat()
  // A pattern that finds nothing would make every test here pass.
  expect(all.length).to.be.greaterThan(names.length)
  return all
}

function roomOf(source: string, path: string): string {
  const [first = ''] = relative(source, path).split(sep)
  return first.replace(/\.(d\.)?[jt]s$/, '')
}

function packageOf(target: string): string | undefined {
  if (target.startsWith('.') || target.startsWith('node:')) return undefined
  return target
    .split('/')
    .slice(0, target.startsWith('@') ? 2 : 1)
    .join('/')
}

describe('The tests', () => {
  it('prepare and clear up for themselves alone: all files run in one process', async () => {
    const folder = join(projectFolder(), 'test')
    const names = (await readdir(folder, { recursive: true })).filter(name => name.endsWith('.ts'))
    const hooks = /^(?:before|after)(?:Each)?\(/m
    const everywhere: string[] = []
    for (const name of names)
      if (hooks.test(await readFile(join(folder, name), 'utf8'))) everywhere.push(name)
    expect(everywhere).to.deep.equal([])
  })
})

/** The first circle, as the files on it. */
function circleIn(edges: ReadonlyMap<string, readonly string[]>): readonly string[] | undefined {
  const done = new Set<string>()
  function visit(file: string, path: readonly string[]): readonly string[] | undefined {
    const at = path.indexOf(file)
    if (at >= 0) return [...path.slice(at), file]
    if (done.has(file)) return undefined
    for (const next of edges.get(file) ?? []) {
      const found = visit(next, [...path, file])
      if (found) return found
    }
    done.add(file)
    return undefined
  }
  for (const file of edges.keys()) {
    const found = visit(file, [])
    if (found) return found
  }
  return undefined
}

function projectFolder(): string {
  let folder = dirname(fileURLToPath(import.meta.url))
  while (!existsSync(join(folder, 'package.json'))) folder = dirname(folder)
  return folder
}
