import { findingLine } from '../../core/problem.js'
import { pluralize } from '../../core/text/pluralize.js'
import { features } from '../../features.js'
import { outdatedLines } from '../../service/manual-edits/outdated-edits.js'
import { repairLines, undoneText } from '../../service/manual-edits/report-undone-updates.js'
import {
  type CatalogStatus,
  type RepositoryStatus,
  readRepositoryStatus,
} from '../../service/operations/repository-status.js'
import { defineCommand, type StatusPart } from '../command.js'
import { outdatedJson } from '../output/outdated-edits-report.js'
import type { Terminal } from '../output/terminal.js'
import { openNamedClone } from '../sessions/named-clone.js'

export const statusCommand = defineCommand({
  async run(argv, context) {
    const { terminal } = context
    const clone = await openNamedClone(argv, true)
    const status = await readRepositoryStatus(clone)
    const found = await Promise.all(features.map(feature => feature.readStatus(clone)))
    const parts = found.filter(part => part !== undefined)
    if (argv.json) {
      const outdated = status.outdated.map(outdatedJson)
      const ofFeatures = Object.fromEntries(parts.map(({ member, value }) => [member, value]))
      return terminal.printJson({ data: clone.dir, ...status, ...ofFeatures, outdated })
    }
    await print(terminal, clone.dir, status, parts)
  },
})

async function print(
  terminal: Terminal,
  dir: string,
  status: RepositoryStatus,
  ofFeatures: readonly StatusPart[],
): Promise<void> {
  const { branch, head, stray, serving, catalog, edits, outdated, unread, index, locks, objects } = status
  const none = unread === undefined ? 'no commit yet' : 'no readable commit'
  const headText = head === undefined ? none : `commit ${head.slice(0, 10)}`
  await terminal.print(`Data     ${dir}`)
  await terminal.print(`Branch   ${branch ?? 'none: HEAD is detached'}, ${headText}`)
  if (stray !== undefined) await terminal.print(`${terminal.paint('yellow', 'HEAD')}     ${stray}`)
  await terminal.print(`Server   ${serving ? 'running' : 'not running'}`)
  await terminal.print(`Catalog  ${catalogLine(catalog)}`)
  for (const line of ofFeatures.flatMap(({ lines }) => lines)) await terminal.print(line)
  await terminal.print(
    `Objects  ${pluralize(objects.packs, 'pack')}, ${bytes(objects.packSize)}; ${objects.loose} loose, ${bytes(objects.looseSize)}`,
  )
  for (const { directory, commit, findings, served } of catalog?.faults ?? []) {
    const since = `${terminal.paint('red', 'fault')}    ${directory} since commit ${commit.slice(0, 10)}`
    const instead = served
      ? `version ${served.version} of commit ${served.commit.slice(0, 10)} is served`
      : 'nothing of it is served'
    await terminal.print(`${since}; ${instead}`)
    for (const finding of findings) await terminal.print(`         ${findingLine(finding)}`)
  }
  for (const update of catalog?.undone ?? []) {
    await terminal.print(`${terminal.paint('red', 'undone')}   ${undoneText(update)}`)
    for (const line of repairLines(update, dir)) await terminal.print(`         ${line}`)
  }
  if (index !== undefined) {
    const rebuilt = serving
      ? 'The running server rebuilds it before its next update, and when /health is asked.'
      : `Rebuild it: git-metastore repair --data ${dir}`
    await terminal.print(`${terminal.paint('red', 'damaged')}  .git/index is ${index}. ${rebuilt}`)
  } else if (unread !== undefined) {
    await terminal.print(`${terminal.paint('red', 'damaged')}  ${unread.replaceAll('\n', '\n         ')}`)
    await terminal.print(`         What is lost, and how it comes back: git-metastore repair --data ${dir}`)
  }
  for (const { detail } of locks) await terminal.print(`${terminal.paint('red', 'lock')}     ${detail}`)
  for (const { path, change, ours } of edits) {
    await terminal.print(
      `${terminal.paint('yellow', change.padEnd(8))} ${path}${ours ? '' : ' (no part of a record)'}`,
    )
    const edit = outdated.find(each => each.path === path)
    if (!edit) continue
    for (const line of outdatedLines(edit, dir)) await terminal.print(`         ${line}`)
    await terminal.print('         See `git-metastore commit --help`: --merge, --ours, --theirs.')
  }
}

function catalogLine(catalog: CatalogStatus | undefined): string {
  if (!catalog) return 'none yet: `git-metastore serve` or `list` makes it'
  const { commit, behind, schemas, metadata, faults, size } = catalog
  const place =
    commit === undefined
      ? 'empty'
      : behind === undefined
        ? `at commit ${commit.slice(0, 10)}, which the branch has lost`
        : behind === 0
          ? 'at the branch'
          : `${pluralize(behind, 'commit')} behind the branch`
  const records = `${pluralize(schemas, 'schema')}, ${pluralize(metadata, 'metadata record')}`
  return `${place}: ${records}, ${pluralize(faults.length, 'fault')}; ${bytes(size)}`
}

function bytes(number: number): string {
  if (number < 1024) return `${number} B`
  if (number < 1024 ** 2) return `${Math.round(number / 1024)} KiB`
  if (number < 1024 ** 3) return `${(number / 1024 ** 2).toFixed(1)} MiB`
  return `${(number / 1024 ** 3).toFixed(1)} GiB`
}
