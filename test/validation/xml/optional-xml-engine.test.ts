// test-schedule: quick
import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { expect } from 'chai'

/** Packages of the validation, without libxmljs2. */
const packages = [
  'ajv',
  'ajv-draft-04',
  'ajv-formats',
  'libxml2-wasm',
  'lru-cache',
  're2js',
  '@eslint-community/regexpp',
  '@hyperjump/uri',
  'idn-hostname',
]

/** Opens a validator with libxmljs2, checks a schema, and prints the problem. */
const program = (folder: string) => `
  import { openValidator } from ${JSON.stringify(pathToFileURL(join(folder, 'src/validation/open-validator.js')))}
  try {
    const validator = openValidator({ xmlEngine: 'libxmljs2', workers: 1 })
    console.log('opened')
    const document = new TextEncoder().encode('<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"/>')
    const check = validator.check({ key: 'k', type: 'XML', document, files: new Map(), registered: new Map() })
    await check.finally(() => validator.close())
  } catch (error) {
    console.log(error.name, error.kind, error.message)
  }`

describe('the optional XML engine', () => {
  let folder: string
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'validation-'))
    await writeFile(join(folder, 'package.json'), '{"type": "module"}')
    for (const room of ['core', 'validation']) {
      await cp(new URL(`../../../src/${room}`, import.meta.url), join(folder, 'src', room), {
        recursive: true,
      })
    }
    // The processes of validation start their bundle.
    await cp(new URL('../../program', import.meta.url), join(folder, 'test', 'program'), { recursive: true })
    await mkdir(join(folder, 'node_modules'))
    for (const name of packages) {
      const entry = fileURLToPath(import.meta.resolve(name))
      const end = `${join('node_modules', name)}`
      const target = entry.slice(0, entry.lastIndexOf(end) + end.length)
      const link = join(folder, 'node_modules', name)
      await mkdir(dirname(link), { recursive: true })
      await symlink(target, link, 'junction')
    }
  })
  afterEach(() => rm(folder, { recursive: true }))

  const run = async () => {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--input-type=module', '-e', program(folder)],
      { timeout: 120_000 },
    )
    return stdout
  }

  it('is refused at once if it is not installed, with a link to the instructions', async () => {
    expect(await run()).to.match(
      /^ProblemError unusable-repository .*libxmljs2 .*docs\/run\/configuration\.md/,
    )
  })

  it('is refused at the first schema if it is installed but not compiled', async () => {
    const place = join(folder, 'node_modules', 'libxmljs2')
    await mkdir(place)
    await writeFile(join(place, 'index.js'), 'throw new Error("Could not locate the bindings file")')

    expect(await run()).to.match(
      /^opened\nProblemError unusable-repository .*bindings.*docs\/run\/configuration\.md/,
    )
  })
})
