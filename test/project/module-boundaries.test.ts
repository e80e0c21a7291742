// test-schedule: quick
import { existsSync, readFileSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { publicFiles, subRooms } from './rooms.js'

/** The rooms that a room may import. A file directly in `src` is a room of its own. @see docs/understand/architecture.md#rooms */
const knows: Readonly<Record<string, readonly string[]>> = {
  core: [],
  config: ['core'],
  store: ['core'],
  catalog: ['store', 'core'],
  validation: ['core'],
  service: ['catalog', 'validation', 'store', 'core'],
  http: ['service', 'catalog', 'core'],
  compose: ['http', 'service', 'catalog', 'validation', 'store', 'core', 'config'],
  feature: ['cli', 'compose', 'http', 'store'],
  features: [
    'feature',
    'cli',
    'compose',
    'config',
    'http',
    'service',
    'catalog',
    'validation',
    'store',
    'core',
  ],
  cli: ['features', 'feature', 'compose', 'config', 'http', 'service', 'validation', 'store', 'core'],
}

/** The rooms that may import a package. */
const homes: Readonly<Record<string, readonly string[]>> = {
  jose: ['http'],
  koa: ['http', 'features'],
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
  fflate: ['features'],
  libxmljs2: ['validation'],
}

interface Import {
  readonly file: string
  readonly room: string
  readonly target: string
}

const source = join(projectFolder(), 'src')
/** The browser application, whose modules run elsewhere. */
const browserApplication = 'features/web/browser/'
/** Modules without imports that run in the server and in the browser. */
const shared: ReadonlySet<string> = new Set([
  'core/text/overlaps-beginning.ts',
  'core/text/name-in-words.ts',
  'core/text/pluralize.ts',
  'features/pages/html/finding-in-words.ts',
  'features/pages/html/spoken-names.ts',
  'features/web-api/outline/skeleton.ts',
])

describe('the rooms of the source', () => {
  it('import only from permitted rooms', async () => {
    const wrong = (await importsOf(source)).filter(({ room, file, target }) => {
      if (!target.startsWith('.')) return false
      const other = roomOf(source, resolve(source, dirname(file), target))
      return other !== room && !knows[room]?.includes(other)
    })

    expect(wrong.map(({ file, target }) => `${file} imports ${target}`)).to.deep.equal([])
  })

  it('of the core import no feature, only the list of features', async () => {
    const wrong = (await importsOf(source)).filter(({ file, target }) => {
      const imported = fileOf(file, target) ?? ''
      return imported.startsWith('features/') && !file.startsWith('features/') && file !== 'features.ts'
    })

    expect(wrong.map(({ file, target }) => `${file} imports ${target}`)).to.deep.equal([])
  })

  it('neither import modules of the browser application, nor are imported by it', async () => {
    const wrong = (await importsOf(source)).filter(({ file, target }) => {
      const imported = fileOf(file, target)
      const isWithin = (path: string) => path.startsWith(browserApplication)
      return target.startsWith('node:')
        ? isWithin(file)
        : imported !== undefined && !shared.has(imported) && isWithin(file) !== isWithin(imported)
    })

    expect(wrong.map(({ file, target }) => `${file} imports ${target}`)).to.deep.equal([])
  })

  it('share with the browser only modules that import nothing', async () => {
    expect((await importsOf(source)).filter(({ file }) => shared.has(file))).to.deep.equal([])
  })

  it('of features load the modules that read schemas only when they are used', async () => {
    const features = await readdir(join(source, 'features'))
    const opened = features.flatMap(feature => {
      const text = readFileSync(join(source, 'features', feature, 'feature.ts'), 'utf8')
      return [...text.matchAll(/import\('(\.[^']+)'\)/g)].flatMap(
        ([, target = '']) => fileOf(`features/${feature}/feature.ts`, target) ?? [],
      )
    })
    expect(opened.length).to.be.above(features.length)

    const loaded = new Set(opened.flatMap(file => [...loadedWith(file)]))
    const readers = [...loaded].filter(file => /^validation\/(?:json|xml)\//.test(file))
    expect(readers).to.have.members(['validation/xml/schema-doctype.ts'])
  })

  it('are all listed in this test', async () => {
    const rooms = new Set((await importsOf(source)).map(({ room }) => room))

    expect([...rooms].filter(room => !(room in knows))).to.deep.equal([])
  })

  it('import each package only in its permitted rooms', async () => {
    const wrong = (await importsOf(source)).filter(({ room, target }) => {
      const name = packageOf(target)
      return name !== undefined && homes[name]?.includes(room) === false
    })

    expect(wrong.map(({ file, target }) => `${file} imports ${target}`)).to.deep.equal([])
  })

  it('have at most 15 files directly in a folder, as their tests do', async () => {
    const folders = new Map<string, number>()
    for (const place of [source, join(projectFolder(), 'test')]) {
      for (const name of await filesOf(place)) {
        const folder = dirname(join(place, name))
        folders.set(folder, (folders.get(folder) ?? 0) + 1)
      }
    }

    expect([...folders].filter(([, files]) => files > 15)).to.deep.equal([])
  })

  it('have no two files with the same name, except for versions of the interface, and feature.ts', async () => {
    const places = new Map<string, string[]>()
    for (const name of await filesOf(source)) {
      // Each feature has a `feature.ts`, which src/feature.ts defines.
      if (basename(name) === 'feature.ts') continue
      const folder = dirname(name).replace(/\/v\d$/, '/vN')
      const known = places.get(basename(name)) ?? []
      if (!known.includes(folder)) places.set(basename(name), [...known, folder])
    }

    expect([...places].filter(([, folders]) => folders.length > 1)).to.deep.equal([])
  })

  it('consist of named and ordered sub-rooms', async () => {
    const unnamed = (await filesOf(source)).filter(
      name => name.split('/').length > 2 && subRoomOf(name) === undefined,
    )

    expect(unnamed).to.deep.equal([])
  })

  it('have sub-rooms that import only from earlier sub-rooms', async () => {
    const found = (await importsOf(source)).flatMap(({ file, target }) => {
      const imported = fileOf(file, target)
      if (imported === undefined) return []
      const [from, to] = [subRoomOf(file), subRoomOf(imported)]
      const isWrong = from && to && from.room === to.room && from.place < to.place
      return isWrong ? [`${file} -> ${imported}`] : []
    })

    expect(found).to.deep.equal([])
  })

  it('expose only the public files of their sub-rooms', async () => {
    const imported = new Set<string>()
    for (const { file, target } of await importsOf(source)) {
      const wanted = fileOf(file, target)
      const to = wanted === undefined ? undefined : subRoomOf(wanted)
      if (wanted === undefined || to === undefined) continue
      const from = subRoomOf(file)
      const isOfRoom = file.startsWith(`${to.room}/`)
      if (from?.name === to.name || (isOfRoom && from === undefined)) continue
      imported.add(`${to.name}: ${basename(wanted, '.ts')}`)
    }

    const allowed = Object.entries(publicFiles).flatMap(([name, files]) =>
      files.split(' ').map(file => `${name}: ${file}`),
    )
    expect([...imported].filter(each => !allowed.includes(each))).to.deep.equal([])
    expect(
      allowed.filter(each => !imported.has(each)),
      'listed public files that no other sub-room imports',
    ).to.deep.equal([])
  })

  it('are drawn in the architecture with all imports except from core', async () => {
    const imports = (await importsOf(source)).flatMap(({ file, room, target }) => {
      const imported = fileOf(file, target)
      const to = imported && roomOf(source, join(source, imported))
      return to === undefined || to === room || to === 'core' ? [] : [`${room} --> ${to}`]
    })

    const drawn = [...(await guide()).matchAll(/^ {2}(\w+) --> (.*)$/gm)].flatMap(([, from, to = '']) =>
      to.split(' & ').map(each => `${from} --> ${each}`),
    )
    expect(drawn.sort()).to.deep.equal([...new Set(imports)].sort())
  })

  it('are listed in the architecture with their sub-rooms in order', async () => {
    const rows = [...(await guide()).matchAll(/^\| `(\w+)` \| ((?:`[\w/-]+`(?:, )?)+) \|$/gm)]
    const listed = rows.map(([, room, names = '']) => [room, names.replaceAll('`', '').split(', ')])

    expect(Object.fromEntries(listed)).to.deep.equal(subRooms)
  })

  it('do not import in circles, not even types', async () => {
    expect(circlesIn(edgesOf(await importsOf(source)))).to.deep.equal([])
  })
})

/** Reads the document that explains the rooms. */
async function guide(): Promise<string> {
  return await readFile(join(projectFolder(), 'docs', 'understand', 'architecture.md'), 'utf8')
}

/** Matches imports of modules and of types. */
const statement =
  /^\s*(?:import|export)\s+(?:[^'"]*?\sfrom\s+)?['"]([^'"]+)['"]|import\(\s*['"]([^'"]+)['"]\s*\)/gm

async function importsOf(source: string): Promise<readonly Import[]> {
  const names = await filesOf(source)
  const found = names.map(async name => {
    const text = await readFile(join(source, name), 'utf8')
    return [...text.matchAll(statement)].map(([, named, loaded]) => ({
      file: name,
      room: roomOf(source, join(source, name)),
      target: named ?? loaded ?? '',
    }))
  })
  const all = (await Promise.all(found)).flat()
  // Without this check, a pattern without matches would let every test pass.
  expect(all.length).to.be.greaterThan(names.length)
  return all
}

/** The files that are loaded with a file: what it imports, and what that imports, without what is loaded later. */
function loadedWith(file: string): ReadonlySet<string> {
  const found = new Set([file])
  for (const each of found) {
    const text = readFileSync(join(source, each), 'utf8')
    for (const [, target = ''] of text.matchAll(
      /^(?:import|export) (?!type )(?:[^'"]*? from )?'([^']+)'/gm,
    )) {
      const imported = fileOf(each, target)
      if (imported) found.add(imported)
    }
  }
  return found
}

/** Returns the paths relative to `source`, with slashes. */
async function filesOf(source: string): Promise<readonly string[]> {
  const names = await readdir(source, { recursive: true })
  return names.filter(name => /\.tsx?$/.test(name)).map(name => name.split(sep).join('/'))
}

/** Returns the file that an import in `file` refers to; undefined for a package. */
function fileOf(file: string, target: string): string | undefined {
  if (!target.startsWith('.')) return undefined
  const name = join(dirname(file), target).replace(/\.js$/, '.ts')
  return existsSync(join(source, `${name}x`)) ? `${name}x` : name
}

interface SubRoom {
  readonly room: string
  /** Path below `src`, such as `store/packs`. */
  readonly name: string
  /** Position in the order of the room. */
  readonly place: number
}

/** Returns the sub-room of a file; undefined for a file directly in its room. */
function subRoomOf(file: string): SubRoom | undefined {
  const [room = ''] = file.split('/')
  const names = subRooms[room] ?? []
  const place = names.findIndex(name => file.startsWith(`${room}/${name}/`))
  return place < 0 ? undefined : { room, name: `${room}/${names[place]}`, place }
}

function edgesOf(imports: readonly Import[]): ReadonlyMap<string, readonly string[]> {
  const edges = new Map<string, string[]>()
  for (const { file, target } of imports) {
    const to = fileOf(file, target)
    if (to !== undefined) edges.set(file, [...(edges.get(file) ?? []), to])
  }
  return edges
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

describe('the tests', () => {
  it('declare all hooks inside a suite, because the files of a group share a process', async () => {
    const folder = join(projectFolder(), 'test')
    const names = (await readdir(folder, { recursive: true })).filter(name => name.endsWith('.ts'))
    const hooks = /^(?:before|after)(?:Each)?\(/m
    const everywhere: string[] = []
    for (const name of names)
      if (hooks.test(await readFile(join(folder, name), 'utf8'))) everywhere.push(name)
    expect(everywhere).to.deep.equal([])
  })
})

/**
 * Returns the sets of files that import each other in a circle (Tarjan's strongly connected components of several
 * files).
 */
function circlesIn(edges: ReadonlyMap<string, readonly string[]>): readonly (readonly string[])[] {
  const circles: string[][] = []
  const numbers = new Map<string, number>()
  const lowest = new Map<string, number>()
  const open: string[] = []
  function visit(file: string): number {
    const number = numbers.size
    numbers.set(file, number)
    let low = number
    open.push(file)
    for (const next of edges.get(file) ?? []) {
      if (!numbers.has(next)) low = Math.min(low, visit(next))
      else if (open.includes(next)) low = Math.min(low, lowest.get(next) ?? numbers.get(next) ?? low)
    }
    lowest.set(file, low)
    if (low === number) {
      const circle = open.splice(open.indexOf(file))
      if (circle.length > 1) circles.push(circle.sort())
    }
    return low
  }
  for (const file of edges.keys()) if (!numbers.has(file)) visit(file)
  return circles
}

function projectFolder(): string {
  let folder = dirname(fileURLToPath(import.meta.url))
  while (!existsSync(join(folder, 'package.json'))) folder = dirname(folder)
  return folder
}
