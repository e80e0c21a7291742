import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'

// test-schedule: quick

const execute = promisify(execFile)
const root = process.cwd()
const binary = (name: string) => join(root, 'node_modules', '.bin', name)

describe('CONTRIBUTING.md', () => {
  it('shows a diff that adds a query parameter in one file and applies to the source', async () => {
    const [diff = ''] = await diffsOfGuide()
    expect(filesOf(diff)).to.have.lengthOf(1)
    expect(filesOf(diff)[0]).to.match(/^src\/http\/routes\/.+-routes\.ts$/)
    await withSources(diff, () => Promise.resolve())
  })

  it('shows a diff that adds a filter of lists in one file and its test, which passes then', async () => {
    const [, diff = ''] = await diffsOfGuide()
    const [source = '', test = '', ...others] = filesOf(diff)
    expect(source).to.equal('src/core/records/list-filters.ts')
    expect(test).to.match(/^test\/.+\.test\.ts$/)
    expect(others).to.deep.equal([])
    const output = await withSources(diff, sources => withProgram(sources, [source, test], runTest))
    expect(output).to.match(/finds the same records now, at a commit, and on a branch: idPrefix/)
  })
})

async function diffsOfGuide(): Promise<readonly string[]> {
  const guide = await readFile('CONTRIBUTING.md', 'utf8')
  return [...guide.matchAll(/^```diff\n(.*?)^```$/gms)].map(([, diff = '']) => diff)
}

const filesOf = (diff: string) => [...diff.matchAll(/^\+\+\+ b\/(.+)$/gm)].map(([, file = '']) => file)

/** Applies a diff to copies of its files. @param use is called with the folder of the copies */
async function withSources<T>(diff: string, use: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'git-metastore-guide-'))
  try {
    for (const file of filesOf(diff)) {
      await mkdir(dirname(join(folder, file)), { recursive: true })
      await cp(file, join(folder, file))
    }
    await writeFile(join(folder, 'diff'), diff)
    await execute('git', ['apply', 'diff'], { cwd: folder })
    return await use(folder)
  } finally {
    await rm(folder, { recursive: true })
  }
}

/**
 * Compiles files into a copy of the program and its tests. The copy is beside them, because modules find their packages
 * and the files of the project from there.
 */
async function withProgram<T>(
  sources: string,
  files: readonly string[],
  use: (folder: string, files: readonly string[]) => Promise<T>,
): Promise<T> {
  const copy = await mkdtemp(join(root, '.build-guide-'))
  try {
    for (const part of ['src', 'test'])
      await cp(join(root, 'dist', part), join(copy, part), { recursive: true })
    const options = ['--ignoreConfig', '--noCheck', '--noResolve', '--module', 'esnext', '--target', 'es2023']
    const paths = files.map(file => join(sources, file))
    await execute(binary('tsc'), [...options, '--rootDir', sources, '--outDir', copy, ...paths])
    return await use(copy, files)
  } finally {
    await rm(copy, { recursive: true })
  }
}

/** Runs the last of the files. @returns the output */
async function runTest(folder: string, files: readonly string[]): Promise<string> {
  const test = join(folder, files.at(-1)?.replace(/\.ts$/, '.js') ?? '')
  const { stdout } = await execute(binary('mocha'), ['--timeout', '120000', test])
  return stdout
}
