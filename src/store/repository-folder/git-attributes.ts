import { mkdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { collectionNames } from '../../core/records/collection.js'
import { replaceFileAtomically } from '../file-system/durable-files.js'
import { undefinedIfMissing } from '../file-system/file-errors.js'
import { metastoreFileName } from '../records/repository-layout.js'

/*
 * Git converts files by their attributes when it adds them to the index and when it checks them out: line ends, filters
 * (Git LFS), encodings, `$Id$`. A converted file differs from the stored document, so no attribute may apply to the
 * files of records.
 */

/** Switches conversions off. `working-tree-encoding` cannot be unset, only left unspecified. @see gitattributes(5) */
const unconverted = '-text -eol -filter -ident !working-tree-encoding'

/** In `info/attributes`, the last matching line overrides all other attributes: committed, user and system ones. */
const block = [
  '# Written by git-metastore: git must not convert the files of records. Keep these lines at the end.',
  ...[metastoreFileName, ...Object.values(collectionNames).map(folder => `${folder}/**`)].map(
    pattern => `/${pattern} ${unconverted}`,
  ),
  '',
].join('\n')

/**
 * Appends lines to `info/attributes` that prevent git from converting the files of records.
 * @returns `added-after-others` if the file has other lines, which no longer apply to records
 */
export function guardAttributes(gitDir: string): 'unchanged' | 'added' | 'added-after-others' {
  const file = join(gitDir, 'info', 'attributes')
  const text = undefinedIfMissing(() => readFileSync(file, 'utf8')) ?? ''
  if (text.endsWith(block) && (text.length === block.length || text.at(-block.length - 1) === '\n'))
    return 'unchanged'
  const others = text.replaceAll(block, '')
  const separator = others === '' || others.endsWith('\n') ? '' : '\n'
  mkdirSync(dirname(file), { recursive: true })
  replaceFileAtomically(file, `${others}${separator}${block}`)
  return /^[^#\s]/m.test(others) ? 'added-after-others' : 'added'
}
