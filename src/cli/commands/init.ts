import { resolve } from 'node:path'
import { defaults } from '../../config.js'
import type { Parser } from '../arguments/shared-options.js'
import { type CommandContext, UsageError } from '../command-context.js'

export function withInitCommand(parser: Parser, { terminal }: CommandContext): Parser {
  parser.command(
    'init [dir]',
    'Make a repository, with a few examples in it',
    y =>
      y
        .positional('dir', {
          type: 'string',
          describe: `A folder that is missing or empty; by default ./${defaults.data}`,
        })
        .option('empty', { type: 'boolean', default: false, describe: 'Without the examples' })
        .option('bare', {
          type: 'boolean',
          default: false,
          describe: 'Without a work tree: for some 100,000 records and more',
        }),
    async ({ dir, data, url, empty, bare, json }) => {
      if (url !== undefined) throw new UsageError('init works on a data folder: leave out --url.')
      const folder = dir ?? data ?? defaults.data
      const { createFromTemplate } = await import('../create-from-template.js')
      await createFromTemplate(folder, { empty, bare })
      if (json) return terminal.printJson({ data: resolve(folder), empty, bare })
      await terminal.print(
        `Made ${terminal.paint('bold', folder)}. Next: git-metastore serve --data ${folder}`,
      )
    },
  )
  return parser
}
