// test-schedule: first
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { expect } from 'chai'
import { features } from '../../src/features.js'
import { isLongForm } from '../support/program/long-form.js'
import {
  bundle,
  compile,
  copyProject,
  failuresOf,
  removeProjectCopies,
} from '../support/project/project-copy.js'

/*
 * Takes features away from a copy of the project: the folder, the line in src/features.ts, and the tests that import it.
 * The rest must compile, and what the feature brought must be gone.
 */

describe('the project without a feature', function () {
  this.timeout(600_000)
  after(removeProjectCopies)

  function copyWithout(names: readonly string[]): string {
    const copy = copyProject()
    removeFeatures(copy, names)
    removeImporters(copy)
    return copy
  }

  function sourceWithout(names: readonly string[]): string {
    const copy = copyProject(['src'])
    removeFeatures(copy, names)
    return copy
  }

  for (const { name } of features) {
    const needing = needingOf(name)
    const also = needing.length === 0 ? '' : `, and without ${needing.join(', ')}, which need it`
    // The compiler takes ten seconds for each feature. A source without a broken import compiles as before, because no
    // feature declares anything globally.
    it(`is whole without ${name}${also}`, () => {
      const copy = (isLongForm ? copyWithout : sourceWithout)([name, ...needing])

      expect(filesIn(copy, ['src']).filter(hasBrokenImport)).to.deep.equal([])
      if (isLongForm) expect(compile(copy)).to.equal('')
    })
  }

  it('has no global declarations in features', () => {
    const declaring = filesIn(join(copyProject(['src']), 'src'), ['features']).filter(file =>
      /^\s*declare (?:global|module)\b/m.test(readFileSync(file, 'utf8')),
    )

    expect(declaring).to.deep.equal([])
  })

  describe('without all features', () => {
    let copy: string

    before(() => {
      copy = copyWithout(features.map(({ name }) => name))
      // Other tests and the measurements compile in the long form only.
      expect(compile(copy, isLongForm ? undefined : ['src', join('test', 'http', 'contract')])).to.equal('')
    })

    // In the short form, the rules of schemas are asked in version 2 only, and those of metadata in version 1.
    it('serves both versions of the interface as the conformance tests demand', () => {
      const folder = join(copy, 'dist', 'test', 'http', 'contract')
      const files = readdirSync(folder).filter(file => file.endsWith('.test.js'))

      expect(files).to.have.lengthOf.above(3)
      expect(
        failuresOf(
          copy,
          files.map(file => join(folder, file)),
          isLongForm ? [] : ['--invert', '--grep', '^(?:schemas in version 1|metadata in version 2) '],
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
      bundle(copy)
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

/** The names of the features that need a feature, also through others. They stand after it in the list. */
function needingOf(name: string): readonly string[] {
  const gone = [name]
  for (const feature of features) if (feature.needs.some(each => gone.includes(each))) gone.push(feature.name)
  return gone.slice(1)
}

/** Removes the folders of features, and their lines in `src/features.ts`. */
function removeFeatures(copy: string, names: readonly string[]): void {
  const list = join(copy, 'src', 'features.ts')
  let text = readFileSync(list, 'utf8')
  for (const name of names) {
    rmSync(join(copy, 'src', 'features', name), { recursive: true })
    rmSync(join(copy, 'test', 'features', name), { recursive: true, force: true })
    const line = new RegExp(`^import \\{ (\\w+) \\} from './features/${name}/feature\\.js'\\n`, 'm')
    const [found, variable = ''] = line.exec(text) ?? []
    if (found === undefined) throw new Error(`src/features.ts has no line for ${name}.`)
    text = text.replace(found, '').replace(new RegExp(`^  ${variable}, // .*\\n`, 'm'), '')
  }
  writeFileSync(list, text)
}

/** Removes tests and measurements that import a missing file, directly or through others. */
function removeImporters(copy: string): void {
  let files = filesIn(copy, ['test', 'bench'])
  for (
    let broken = files.filter(hasBrokenImport);
    broken.length > 0;
    broken = files.filter(hasBrokenImport)
  ) {
    for (const file of broken) rmSync(file)
    files = files.filter(existsSync)
  }
}

/** Whether a file imports a file that does not exist, or its types. */
function hasBrokenImport(file: string): boolean {
  const imports = readFileSync(file, 'utf8').matchAll(/(?:from|import\(|import)\s*'(\.[^']+)'/g)
  return [...imports].some(([, target = '']) => {
    const path = resolve(dirname(file), target)
    const sources = ['.ts', '.tsx', '.d.ts'].map(extension => path.replace(/\.js$/, extension))
    return ![path, ...sources].some(existsSync)
  })
}

/** The paths of the TypeScript files in folders. */
function filesIn(folder: string, names: readonly string[]): readonly string[] {
  return names
    .flatMap(name => namesIn(join(folder, name)).map(path => join(folder, name, path)))
    .filter(path => /\.tsx?$/.test(path))
}

function namesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true }) as string[]
}
