import { resolve } from 'node:path'
import { flag } from '../../cli/arguments/option-table.js'
import { defineCommand } from '../../cli/command.js'
import { openNamedClone } from '../../cli/sessions/named-clone.js'
import { type HookChanges, installCheckHooks, removeCheckHooks } from './install-check-hooks.js'

export const hooksCommand = defineCommand({
  positionals: {
    action: {
      choices: ['install', 'remove'],
      demandOption: true,
      describe: 'Add the check to pre-commit, pre-merge-commit and pre-receive, or remove it',
    },
  },
  options: {
    force: { ...flag, describe: 'With install: rename existing hooks' },
  },
  async run(argv, context) {
    const { terminal } = context
    const clone = await openNamedClone(argv)
    const installs = argv.action === 'install'
    const changes = installs
      ? await installCheckHooks(clone, [process.execPath, resolve(process.argv[1] ?? '')], argv.force)
      : await removeCheckHooks(clone)
    if (argv.json) return terminal.printJson(changes)
    await terminal.print(summary(installs, changes))
    const kept = installs ? 'Kept as' : 'Put back'
    for (const path of changes.kept) await terminal.print(`${kept} ${path}`)
  },
})

function summary(installs: boolean, { hooks, folder }: HookChanges): string {
  if (hooks.length === 0) return `There are no hooks of git-metastore in ${folder}.`
  return `${installs ? 'Installed' : 'Removed'} ${hooks.join(', ')} in ${folder}`
}
