import { spawnSync } from 'node:child_process'
import {
  appendFileSync,
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
/** Declarations for all files: without them, the compiler would check all files again. */
const declarations = 'test/support/**/*.d.ts'

/**
 * Compiles a copy. Starts from the output for the project, so that the compiler checks again only what has changed.
 * @param include files and folders; default: source, tests and measurements
 * @returns the messages of the compiler
 */
export function compile(copy: string, include: readonly string[] = compiled): string {
  const [from, to] = [join(project, 'dist'), join(copy, 'dist')]
  const isBundle = (path: string) => path === join(from, 'test', 'program')
  for (const name of [...compiled, '.tsbuildinfo'])
    cpSync(join(from, name), join(to, name), { recursive: true, filter: path => !isBundle(path) })
  for (const name of compiled) removeOutputsWithoutSource(join(to, name), join(copy, name))
  changeBundledSources(join(to, 'src'), join(copy, 'src'))
  const compiler = join(project, 'node_modules', 'typescript', 'bin', 'tsc')
  const config = {
    extends: './tsconfig.json',
    // The packages have the same paths as in the project: otherwise they would count as changed.
    compilerOptions: { preserveSymlinks: true },
    include: [...include, declarations],
  }
  writeFileSync(join(copy, 'tsconfig.copy.json'), JSON.stringify(config))
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

/** Makes the compiler write the outputs again that start a bundle of the project, which is without the changes of the copy. */
function changeBundledSources(outputs: string, sources: string): void {
  for (const name of readdirSync(outputs, { recursive: true }) as string[])
    if (name.endsWith('.js') && readFileSync(join(outputs, name), 'utf8').includes('/test/program/'))
      appendFileSync(join(sources, name.replace(/js$/, 'ts')), '\n')
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

/** Runs test files of a copy. @param more further arguments of mocha @returns the report of mocha if a test failed or none ran, else an empty text */
export function failuresOf(copy: string, files: readonly string[], more: readonly string[] = []): string {
  const mocha = join(project, 'node_modules', 'mocha', 'bin', 'mocha.js')
  const temporary = join(copy, 'tmp')
  mkdirSync(temporary, { recursive: true })
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [mocha, '--timeout', '300000', '--reporter', 'dot', ...more, ...files],
    { cwd: copy, encoding: 'utf8', env: { ...process.env, TMPDIR: temporary } },
  )
  return status === 0 && /\b[1-9]\d* passing\b/.test(stdout) ? '' : stdout + stderr
}

function projectFolder(): string {
  let folder = dirname(fileURLToPath(import.meta.url))
  while (!existsSync(join(folder, 'package.json'))) folder = dirname(folder)
  return folder
}
