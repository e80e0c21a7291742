import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageFolder } from '../../cli/installed-package.js'
import { undefinedIfMissing } from '../../store/file-system/file-errors.js'

/** One file of the browser application, in memory. */
export interface BrowserFile {
  readonly mediaType: 'text/javascript; charset=utf-8' | 'text/css; charset=utf-8'
  /** Hash of the uncompressed bytes, for entity tags. */
  readonly hash: string
  /** The bytes by content coding, best first: `br`, `gzip`, `identity`. */
  readonly bytes: ReadonlyMap<ContentCoding, Buffer>
}

export const contentCodings = ['br', 'gzip', 'identity'] as const
export type ContentCoding = (typeof contentCodings)[number]

/** The built browser application. */
export interface BrowserFiles {
  /** Name of the script that the document starts. */
  readonly script: string
  /** Names of the scripts that it imports at once. */
  readonly imports: readonly string[]
  /** By the name of the module of a page, such as `edit-page`: names of the scripts that this page needs, too. */
  readonly pages: Readonly<Record<string, readonly string[]>>
  /** Name of the style sheet. */
  readonly style: string
  readonly byName: ReadonlyMap<string, BrowserFile>
}

interface Manifest extends Pick<BrowserFiles, 'script' | 'imports' | 'pages' | 'style'> {
  readonly files: readonly string[]
}

/** The folder in which the build puts the application. */
export function browserFolder(): string {
  return join(packageFolder(), 'dist', 'program', 'browser')
}

let application: BrowserFiles | undefined

/**
 * Returns the built application, which the first call reads into memory: less than 3 MB with the compressed forms. It waits
 * for the disk, because some hundred reads beside others take several times the processor time.
 * @returns undefined if the application was not built
 */
export function browserFiles(): BrowserFiles | undefined {
  application ??= readBrowserFiles(browserFolder())
  return application
}

function readBrowserFiles(folder: string): BrowserFiles | undefined {
  const text = undefinedIfMissing(() => readFileSync(join(folder, 'manifest.json'), 'utf8'))
  if (text === undefined) return undefined
  const { files, ...names } = JSON.parse(text) as Manifest
  return { ...names, byName: new Map(files.map(name => [name, readBrowserFile(join(folder, name))])) }
}

function readBrowserFile(path: string): BrowserFile {
  const [br, gzip, identity] = [`${path}.br`, `${path}.gz`, path].map(file => readFileSync(file)) as [
    Buffer,
    Buffer,
    Buffer,
  ]
  return {
    mediaType: path.endsWith('.css') ? 'text/css; charset=utf-8' : 'text/javascript; charset=utf-8',
    hash: createHash('sha256').update(identity).digest('base64url').slice(0, 22),
    bytes: new Map([
      ['br', br],
      ['gzip', gzip],
      ['identity', identity],
    ]),
  }
}
