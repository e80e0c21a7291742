// test-schedule: first
import { execFileSync, spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { features } from '../../src/features.js'
import { isLongForm } from '../support/program/long-form.js'

/*
 * Takes features away from a copy of the project: the folder, the line in src/features.ts, and the tests that import it.
 * The rest must compile, and what the feature brought must be gone.
 */

const project = projectFolder()

describe('the project without a feature', () => {
  const copies: string[] = []
  after(() => {
    for (const copy of copies) rmSync(copy, { recursive: true, force: true, maxRetries: 5 })
  })

  function copyWithout(names: readonly string[]): string {
    const copy = mkdtempSync(join(tmpdir(), 'git-metastore-without-'))
    copies.push(copy)
    copyProject(copy)
    removeFeatures(copy, names)
    return copy
  }

  for (const { name } of features) {
    it(`compiles without ${name}`, () => {
      expect(compile(copyWithout([name]), '--noEmit')).to.equal('')
    })
  }

  describe('without all features', () => {
    let copy: string

    before(() => {
      copy = copyWithout(features.map(({ name }) => name))
      expect(compile(copy)).to.equal('')
    })

    it('serves both versions of the interface as the conformance tests demand', () => {
      const folder = join(copy, 'dist', 'test', 'http', 'contract')
      const files = readdirSync(folder).filter(file => file.endsWith('.test.js'))

      expect(files).to.have.lengthOf.above(3)
      expect(
        failuresOf(
          copy,
          files.map(file => join(folder, file)),
        ),
      ).to.equal('')
    })

    it('has the commands of the core only', () => {
      const script = `const { main } = await import('./dist/src/cli/main.js'); await main(['--help'])`
      const help = execFileSync(process.execPath, ['--input-type=module', '-e', script], {
        cwd: copy,
      }).toString()

      const removed = features.flatMap(({ commands }) => commands.map(({ usage }) => usage))
      expect(removed.filter(usage => help.includes(`git-metastore ${usage} `))).to.deep.equal([])
      expect(help).to.contain('git-metastore serve')
    })

    it('passes the quick tests of the core, in the long form of this test', function () {
      if (!isLongForm) this.skip()
      const tests = join(copy, 'dist', 'test')
      const quick = namesIn(tests).filter(
        name =>
          name.endsWith('.test.js') &&
          !/^(?:project|documentation)\//.test(name) &&
          readFileSync(join(tests, name), 'utf8').includes('test-schedule: quick'),
      )

      expect(
        failuresOf(
          copy,
          quick.map(name => join(tests, name)),
        ),
      ).to.equal('')
    })
  })
})

/** Copies what the compiler needs. The packages are those of the project. */
function copyProject(copy: string): void {
  for (const name of ['src', 'test', 'package.json', 'tsconfig.json', 'data-template'])
    cpSync(join(project, name), join(copy, name), { recursive: true })
  symlinkSync(join(project, 'node_modules'), join(copy, 'node_modules'))
}

/** Removes the folders of features, their lines in `src/features.ts`, and every test that imports one of them. */
function removeFeatures(copy: string, names: readonly string[]): void {
  const list = join(copy, 'src', 'features.ts')
  let text = readFileSync(list, 'utf8')
  for (const name of names) {
    rmSync(join(copy, 'src', 'features', name), { recursive: true })
    rmSync(join(copy, 'test', 'features', name), { recursive: true, force: true })
    const line = new RegExp(`^import \\{ (\\w+) \\} from './features/${name}/feature\\.js'\\n`, 'm')
    const [found, variable = ''] = line.exec(text) ?? []
    if (found === undefined) throw new Error(`src/features.ts has no line for ${name}.`)
    text = text.replace(found, '').replace(new RegExp(`\\b${variable}\\b(?:,\\s*)?`), '')
  }
  writeFileSync(list, text)
  removeImporters(join(copy, 'test'))
}

/** Removes the tests that import a file that is missing, directly or through other tests. */
function removeImporters(folder: string): void {
  for (let removed = -1; removed !== 0; ) {
    removed = 0
    for (const name of namesIn(folder).filter(each => each.endsWith('.ts'))) {
      const file = join(folder, name)
      const imports = [...readFileSync(file, 'utf8').matchAll(/(?:from|import\()\s*'(\.[^']+)'/g)]
      const isBroken = imports.some(([, target = '']) => {
        const path = resolve(dirname(file), target)
        return ![path, path.replace(/\.js$/, '.ts'), path.replace(/\.js$/, '.d.ts')].some(existsSync)
      })
      if (!isBroken) continue
      rmSync(file)
      removed++
    }
  }
}

/** Compiles a copy. @returns the messages of the compiler */
function compile(copy: string, ...options: readonly string[]): string {
  const compiler = join(project, 'node_modules', 'typescript', 'bin', 'tsc')
  const given = ['--incremental', 'false', '--tsBuildInfoFile', 'null', ...options]
  const config = { extends: './tsconfig.json', include: ['src', 'test'] }
  writeFileSync(join(copy, 'tsconfig.copy.json'), JSON.stringify(config))
  const { stdout, stderr } = spawnSync(process.execPath, [compiler, '-p', 'tsconfig.copy.json', ...given], {
    cwd: copy,
    encoding: 'utf8',
  })
  return stdout + stderr
}

/** Runs test files of a copy. @returns the report of mocha if a test failed or none ran, else an empty text */
function failuresOf(copy: string, files: readonly string[]): string {
  const mocha = join(project, 'node_modules', 'mocha', 'bin', 'mocha.js')
  const temporary = join(copy, 'tmp')
  mkdirSync(temporary, { recursive: true })
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [mocha, '--timeout', '120000', '--reporter', 'dot', ...files],
    { cwd: copy, encoding: 'utf8', env: { ...process.env, TMPDIR: temporary } },
  )
  return status === 0 && /\b[1-9]\d* passing\b/.test(stdout) ? '' : stdout + stderr
}

function namesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true }) as string[]
}

function projectFolder(): string {
  let folder = dirname(fileURLToPath(import.meta.url))
  while (!existsSync(join(folder, 'package.json'))) folder = dirname(folder)
  return folder
}
