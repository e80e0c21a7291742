import { execFile } from 'node:child_process'
import { accessSync, constants, statSync } from 'node:fs'
import { basename, delimiter, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { ProblemError } from '../../core/problem.js'
import { gitEnvironment } from './git-command.js'

const run = promisify(execFile)

/**
 * The oldest supported git: the first with `git log --diff-merges=first-parent`.
 * @see https://github.com/git/git/blob/v2.31.0/Documentation/RelNotes/2.31.0.txt
 */
const oldest = [2, 31] as const

/**
 * Finds a git that is new enough.
 * @param wanted `auto`: the git on the PATH if it is new enough; `none`: no git; else the path of a git that must
 *   work
 * @returns the command to start; undefined if there is no git to use
 * @throws ProblemError `unusable-repository` if the named binary does not start or is too old
 */
export async function findGitBinary(wanted: string): Promise<string | undefined> {
  if (wanted === 'none') return undefined
  const binary = wanted === 'auto' ? (onPath('git') ?? 'git') : wanted
  const version = await versionOf(binary)
  if (version !== undefined && isEnough(version)) return binary
  if (wanted === 'auto') return undefined
  const found = version === undefined ? 'is no git that can be started' : `is git ${version}`
  throw new ProblemError(
    'unusable-repository',
    `${wanted} ${found}. Name a git of version ${oldest.join('.')} or newer, or "none" to do without.`,
  )
}

/** The path of a program, so that not every start looks for it in all folders of the PATH. */
function onPath(name: string): string | undefined {
  const folders = (gitEnvironment().PATH ?? '').split(delimiter).filter(folder => folder !== '')
  return folders.map(folder => join(folder, name)).find(isExecutableFile)
}

function isExecutableFile(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    // Missing, or not executable: the program is in another folder.
    return false
  }
}

/** Known versions by command and PATH, so that a process that opens several repositories asks each git once. */
const versions = new Map<string, string>()

async function versionOf(binary: string): Promise<string | undefined> {
  const env = gitEnvironment()
  const key = JSON.stringify([basename(binary) === binary ? binary : resolve(binary), env.PATH])
  const known = versions.get(key)
  if (known !== undefined) return known
  try {
    const { stdout } = await run(binary, ['--version'], { env, timeout: 10_000 })
    const version = /^git version (\d+\.\d+\S*)/.exec(stdout)?.[1]
    if (version !== undefined) versions.set(key, version)
    return version
  } catch {
    // The binary is missing, not executable or too slow: it cannot be used.
    return undefined
  }
}

function isEnough(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major > oldest[0] || (major === oldest[0] && minor >= oldest[1])
}
