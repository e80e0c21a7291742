import { join } from 'node:path'
import { ProblemError } from '../../../core/problem.js'
import type { Oid } from '../../../core/value-types.js'
import { commitsAfter, servedIn } from '../../../service/operations/repository-status.js'
import { type Clone, lines } from '../../../store/local-clone/open-clone.js'
import { isServerRunning } from '../../../store/locks/process-lock.js'
import { ownFolder } from '../../../store/repository/open-repository.js'
import {
  type ConnectorName,
  type ConnectorStatus,
  connectorFiles,
  connectorNames,
} from './connector-files.js'

/**
 * The state of a connector, as a command reads it, with or without a running server. Without `address`, no server has
 * had the connector yet, but a command has paused or rewound it.
 */
export interface ConnectorState extends Partial<ConnectorStatus> {
  readonly name: ConnectorName
  /** `stopped`: no server with the connector runs on the folder. The other members are from the last one. */
  readonly state: 'paused' | 'stopped' | 'failing' | 'filling' | 'following'
  readonly isPaused: boolean
  /** Number of commits to send. Undefined: nothing was sent yet, or the branch has lost the commit last sent. */
  readonly lagCommits?: number
  /** Seconds since the oldest of these commits was made. */
  readonly lagSeconds?: number
  /** A rewind that the server has not begun yet. */
  readonly rewinds?: { readonly to?: Oid }
}

/** Reads the connectors of the last server on a repository, and those that a command has paused or rewound. */
export async function readConnectors(clone: Clone): Promise<readonly ConnectorState[]> {
  const states = await Promise.all(connectorNames.map(name => readConnector(clone, name)))
  return states.filter(state => state !== undefined)
}

async function readConnector(clone: Clone, name: ConnectorName): Promise<ConnectorState | undefined> {
  const ownDir = join(clone.commonDir, ownFolder)
  const files = connectorFiles(ownDir, name)
  const status = files.status()
  const isPaused = files.isPaused()
  const asked = files.rewind()
  const rewinds = asked && asked.id !== status?.rewind ? asked : undefined
  if (!status && !isPaused && !rewinds) return undefined
  const { commit, lastError, filling } = status ?? {}
  const isServing = status !== undefined && isServerRunning(ownDir)
  return {
    name,
    ...status,
    isPaused,
    state: stateOf(isPaused, isServing, lastError !== undefined, filling !== undefined),
    ...(commit !== undefined && (await lagOf(clone, commit))),
    ...(rewinds && { rewinds: rewinds.to === undefined ? {} : { to: rewinds.to } }),
  }
}

function stateOf(
  isPaused: boolean,
  isServing: boolean,
  isFailing: boolean,
  isFilling: boolean,
): ConnectorState['state'] {
  if (isPaused) return 'paused'
  if (!isServing) return 'stopped'
  if (isFailing) return 'failing'
  return isFilling ? 'filling' : 'following'
}

async function lagOf(
  clone: Clone,
  commit: Oid,
): Promise<Pick<ConnectorState, 'lagCommits' | 'lagSeconds'> | undefined> {
  const head = servedIn(clone)?.head ?? clone.head
  const lagCommits = await commitsAfter(clone, commit, head)
  if (lagCommits === undefined) return undefined
  if (lagCommits === 0) return { lagCommits, lagSeconds: 0 }
  const oldest = ['--first-parent', '-1', `--skip=${lagCommits - 1}`, '--format=%ct', `${commit}..${head}`]
  const shown = await clone.git(['log', ...oldest])
  const seconds = Number(lines(shown)[0])
  return {
    lagCommits,
    ...(Number.isFinite(seconds) && { lagSeconds: Math.max(0, Math.round(Date.now() / 1000 - seconds)) }),
  }
}

/** What a command asks of a connector. */
export type ConnectorRequest =
  | { readonly action: 'pause' | 'resume' }
  /** Sends what follows the commit `to` again; without `to`, everything. */
  | { readonly action: 'rewind'; readonly to?: string }

/** What a command has asked of a connector. */
export interface RequestedOfConnector {
  /** Whether a server runs and obeys within a second or two. Otherwise, the next server obeys. */
  readonly isServing: boolean
  /** Whether the last server had the connector. */
  readonly isKnown: boolean
  /** Whether the connector is paused now. */
  readonly isPaused: boolean
  /** The commit that a rewind goes back to. */
  readonly to?: Oid
}

/**
 * Tells the server on a repository, or the next one, what to do with a connector.
 * @throws ProblemError `not-found` for a connector or a commit that does not exist
 */
export async function requestOfConnector(
  clone: Clone,
  name: string,
  request: ConnectorRequest,
): Promise<RequestedOfConnector> {
  const ownDir = join(clone.commonDir, ownFolder)
  const files = connectorFiles(ownDir, requiredName(name))
  let to: Oid | undefined
  if (request.action === 'rewind') {
    to = request.to === undefined ? undefined : await servedCommit(clone, request.to)
    files.requestRewind(to)
  } else if (request.action === 'pause') files.pause()
  else files.resume()
  return {
    isServing: isServerRunning(ownDir),
    isKnown: files.status() !== undefined,
    isPaused: files.isPaused(),
    ...(to !== undefined && { to }),
  }
}

function requiredName(name: string): ConnectorName {
  const known = connectorNames.find(each => each === name)
  if (known !== undefined) return known
  throw new ProblemError(
    'not-found',
    `There is no connector "${name}". A server can have: ${connectorNames.join(', ')}.`,
  )
}

/** The commit of the served history that a name means. @throws ProblemError `not-found` */
async function servedCommit(clone: Clone, name: string): Promise<Oid> {
  const found = await clone.git(['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`])
  const commit = lines(found)[0]
  if (found.code !== 0 || commit === undefined)
    throw new ProblemError('not-found', `The repository has no commit "${name}".`)
  const head = servedIn(clone)?.head ?? clone.head
  // The served history is the first-parent chain only.
  const after = await commitsAfter(clone, commit as Oid, head)
  const place = after === undefined ? undefined : await clone.git(['rev-parse', `${head}~${after}`])
  if (place && lines(place)[0] === commit) return commit as Oid
  throw new ProblemError('not-found', `The history that is served has no commit ${commit}.`)
}
