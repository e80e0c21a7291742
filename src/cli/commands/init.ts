import { resolve } from 'node:path'
import { defaults } from '../../config.js'
import { flag } from '../arguments/option-table.js'
import { defineCommand } from '../command.js'
import { createFromTemplate } from '../create-from-template.js'

export const initCommand = defineCommand({
  positionals: {
    dir: {
      type: 'string',
      describe: `A folder that is missing or empty; default: ./${defaults.data}`,
    },
  },
  options: {
    empty: { ...flag, describe: 'Make no examples' },
    bare: { ...flag, describe: 'Make no work tree: for repositories of 100,000 records and more' },
  },
  async run({ dir, data, empty, bare, json }, { terminal }) {
    const folder = dir ?? data ?? defaults.data
    await createFromTemplate(folder, { empty, bare })
    if (json) return terminal.printJson({ data: resolve(folder), empty, bare })
    await terminal.print(`Made ${terminal.paint('bold', folder)}. Next: git-metastore serve --data ${folder}`)
  },
})
