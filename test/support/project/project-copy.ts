import { spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/*
 * Copies of the project that a test may change, compile and run. The packages are those of the project.
 */

const project = projectFolder()
const copies: string[] = []

/** For `after`: removes all copies. */
export function removeProjectCopies(): void {
  for (const copy of copies.splice(0)) rmSync(copy, { recursive: true, force: true, maxRetries: 5 })
}

const needed = ['src', 'test', 'bench', 'package.json', 'tsconfig.json', 'data-template']

/** Copies files and folders of the project. Default: what the compiler needs. @returns the folder of the copy */
export function copyProject(names: readonly string[] = needed): string {
  const copy = mkdtempSync(join(tmpdir(), 'git-metastore-copy-'))
  copies.push(copy)
  for (const name of names) cpSync(join(project, name), join(copy, name), { recursive: true })
  symlinkSync(join(project, 'node_modules'), join(copy, 'node_modules'))
  return copy
}

const compiled = ['src', 'test', 'bench']

/**
 * Compiles a copy. Starts from the output for the project, so that the compiler reads again only what has changed.
 * @param include files and folders; default: source, tests and measurements. With few of them the compiler takes a third
 * of the time.
 * @returns the messages of the compiler
 */
export function compile(copy: string, include: readonly string[] = compiled): string {
  const [from, to] = [join(project, 'dist'), join(copy, 'dist')]
  const isBundle = (path: string) => path === join(from, 'test', 'program')
  for (const name of [...compiled, '.tsbuildinfo'])
    cpSync(join(from, name), join(to, name), { recursive: true, filter: path => !isBundle(path) })
  for (const name of compiled) removeOutputsWithoutSource(join(to, name), join(copy, name))
  const compiler = join(project, 'node_modules', 'typescript', 'bin', 'tsc')
  writeFileSync(join(copy, 'tsconfig.copy.json'), JSON.stringify({ extends: './tsconfig.json', include }))
  const { stdout, stderr } = spawnSync(process.execPath, [compiler, '-p', 'tsconfig.copy.json'], {
    cwd: copy,
    encoding: 'utf8',
  })
  return stdout + stderr
}

function removeOutputsWithoutSource(outputs: string, sources: string): void {
  for (const name of readdirSync(outputs, { recursive: true }) as string[]) {
    const source = join(sources, name.replace(/\.js(?:\.map)?$/, '.ts'))
    if (/\.js(?:\.map)?$/.test(name) && !existsSync(source)) rmSync(join(outputs, name))
  }
}

/** Bundles the programs of a compiled copy, which the tests of commands start. */
export function bundle(copy: string): void {
  for (const name of ['bin', 'package-lock.json'])
    cpSync(join(project, name), join(copy, name), { recursive: true })
  const { status, stderr } = spawnSync(process.execPath, [join(copy, 'bin', 'bundle.js')], {
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`bin/bundle.js failed: ${stderr}`)
}

/** Runs test files of a copy. @returns the report of mocha if a test failed or none ran, else an empty text */
export function failuresOf(copy: string, files: readonly string[]): string {
  const mocha = join(project, 'node_modules', 'mocha', 'bin', 'mocha.js')
  const temporary = join(copy, 'tmp')
  mkdirSync(temporary, { recursive: true })
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [mocha, '--timeout', '300000', '--reporter', 'dot', ...files],
    { cwd: copy, encoding: 'utf8', env: { ...process.env, TMPDIR: temporary } },
  )
  return status === 0 && /\b[1-9]\d* passing\b/.test(stdout) ? '' : stdout + stderr
}

function projectFolder(): string {
  let folder = dirname(fileURLToPath(import.meta.url))
  while (!existsSync(join(folder, 'package.json'))) folder = dirname(folder)
  return folder
}
