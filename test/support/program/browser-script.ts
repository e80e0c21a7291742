import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageFolder } from '../../../src/cli/installed-package.js'
import { undefinedIfMissing } from '../../../src/store/file-system/file-errors.js'

/** Name of the script of the browser application; empty without the application. It changes with its content. */
export function browserScript(): string {
  const list = join(packageFolder(), 'dist', 'program', 'browser', 'manifest.json')
  const text = undefinedIfMissing(() => readFileSync(list, 'utf8'))
  return text === undefined ? '' : (JSON.parse(text) as { readonly script: string }).script
}
