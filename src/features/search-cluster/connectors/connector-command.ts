import { flag, text } from '../../../cli/arguments/option-table.js'
import { defineCommand, type StatusPart } from '../../../cli/command.js'
import { type CommandContext, UsageError } from '../../../cli/command-context.js'
import { type Column, printTable } from '../../../cli/output/table.js'
import { openNamedClone } from '../../../cli/sessions/named-clone.js'
import { pluralize } from '../../../core/text/pluralize.js'
import type { Oid } from '../../../core/value-types.js'
import type { Clone } from '../../../store/local-clone/open-clone.js'
import {
  type ConnectorRequest,
  type ConnectorState,
  type RequestedOfConnector,
  readConnectors,
  requestOfConnector,
} from './connector-state.js'

export const connectorCommand = defineCommand({
  positionals: {
    action: {
      choices: ['list', 'pause', 'resume', 'rewind'],
      demandOption: true,
      describe: 'Show the connectors; stop sending; go on; send revisions again',
    },
    name: { type: 'string', describe: 'Name of the connector: search. Not with list' },
  },
  options: {
    to: { ...text, describe: 'With rewind: send all revisions after this commit again' },
    all: {
      ...flag,
      describe: 'With rewind: send everything again, to new indices that replace the present ones',
    },
  },
  async run(argv, context) {
    const { action, name } = argv
    const request = requestOf(argv)
    if (request && name === undefined) throw new UsageError(`Name the connector: connector ${action} search`)
    if (!request && name !== undefined) throw new UsageError('connector list takes no name.')
    const clone = await openNamedClone(argv, true)
    if (!request || name === undefined) return await list(await readConnectors(clone), argv.json, context)
    const requested = await requestOfConnector(clone, name, request)
    const { terminal } = context
    if (argv.json) return await terminal.printJson({ name, action, ...requested })
    await terminal.print(sentenceOf(name, request, requested))
    if (!requested.isKnown) terminal.note(`No server on this folder has had it yet. See serve --search-url.`)
  },
})

interface Arguments {
  readonly action: string
  readonly to: string | undefined
  readonly all: boolean
}

/** What the command line asks of a connector. @returns undefined for `list` @throws UsageError */
function requestOf({ action, to, all }: Arguments): ConnectorRequest | undefined {
  if (action !== 'rewind') {
    if (to !== undefined || all) throw new UsageError('--to and --all belong to connector rewind.')
    return action === 'pause' || action === 'resume' ? { action } : undefined
  }
  if ((to === undefined) === !all)
    throw new UsageError('connector rewind needs either --to with a commit, or --all.')
  return { action, ...(to !== undefined && { to }) }
}

function sentenceOf(
  name: string,
  { action }: ConnectorRequest,
  { isServing, isPaused, to }: RequestedOfConnector,
): string {
  const who = isServing ? 'The server' : 'The next server'
  const soon = isServing ? ' within seconds' : ''
  switch (action) {
    case 'pause':
      return `Paused ${name}. ${who} sends nothing${isServing ? ' from now on' : ''} until \`connector resume ${name}\`.`
    case 'resume':
      return `Resumed ${name}. ${who} goes on${soon}.`
    case 'rewind':
      return isPaused
        ? `${name} is paused. After \`connector resume ${name}\` ${who.toLowerCase()} ${rewindText(to, '')}`
        : `${who} ${rewindText(to, soon)}`
  }
}

function rewindText(to: Oid | undefined, soon: string): string {
  return to === undefined
    ? `sends everything again${soon}, to new indices. The present ones answer until these are complete.`
    : `sends the revisions after commit ${to.slice(0, 10)} again${soon}.`
}

const columns: readonly Column<ConnectorState>[] = [
  { title: 'NAME', value: ({ name }) => name, identifies: true },
  { title: 'STATE', value: ({ state }) => state },
  { title: 'COMMIT', value: ({ commit }) => commit?.slice(0, 10) ?? '-' },
  { title: 'LAG', value: lagText },
  {
    title: 'TO',
    value: ({ address, prefix }) => (address === undefined ? '-' : `${address}, indices ${prefix}*`),
  },
]

async function list(
  connectors: readonly ConnectorState[],
  asJson: boolean,
  { terminal }: CommandContext,
): Promise<void> {
  if (asJson) return await terminal.printJson(connectors)
  if (connectors.length === 0) {
    return terminal.note(
      'The last server on this folder had no connector: serve --search-url starts one to a search cluster.',
    )
  }
  await printTable(terminal, connectors, columns)
  for (const connector of connectors)
    for (const line of detailLines(connector)) await terminal.print(`${connector.name}: ${line}`)
}

/** The connectors, for `git-metastore status`. */
export async function connectorStatus(clone: Clone): Promise<StatusPart> {
  const connectors = await readConnectors(clone)
  const lines = connectors.flatMap(connector => {
    const { name, state, address } = connector
    const to = address === undefined ? '' : ` to ${address}`
    const details = detailLines(connector).map(line => `         ${line}`)
    return [`Sends    ${name}${to}: ${state}; lag: ${lagText(connector)}`, ...details]
  })
  return { member: 'connectors', value: connectors, lines }
}

/** How far a connector is behind the served branch, as text. */
function lagText({ lagCommits, lagSeconds = 0 }: ConnectorState): string {
  if (lagCommits === undefined) return 'unknown'
  return lagCommits === 0 ? 'none' : `${pluralize(lagCommits, 'commit')}, ${lagSeconds} s`
}

/** Sentences about what a connector does and what is wrong with it. */
function detailLines({ filling, rewinds, lastError }: ConnectorState): readonly string[] {
  const reached = filling?.commit === undefined ? '' : `, and are at commit ${filling.commit.slice(0, 10)}`
  const place = rewinds?.to === undefined ? 'everything' : `all after commit ${rewinds.to.slice(0, 10)}`
  return [
    ...(filling ? [`New indices (generation ${filling.generation}) are being filled${reached}.`] : []),
    ...(rewinds ? [`It will send ${place} again when it runs.`] : []),
    ...(lastError === undefined ? [] : [lastError]),
  ]
}
