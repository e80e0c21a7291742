import { ProblemError } from '../../core/problem.js'
import type { Writer } from '../../store/write/writer.js'
import type { Services } from '../services.js'
import type { ConnectionStatus } from './connection-status.js'

export type Refusal = () => ProblemError

type OpenServices = Omit<Services, 'close'>

/**
 * The refusal of updates by a command, if a server on the same folder follows another repository or shares a log. It
 * says where updates are possible.
 * @returns undefined if updates are possible
 */
export function refusalBesideServer({
  role,
  address,
}: Pick<ConnectionStatus, 'role' | 'address'>): Refusal | undefined {
  if (role === 'mirror') return undefined
  if (role === 'source') return () => readOnlyFollower(address)
  return () =>
    new ProblemError(
      'forbidden',
      `Updates of this repository go to ${address} first. Send them to its server with --url. To change the folder without ` +
        'the log, serve it without --push-to.',
    )
}

/** The refusal of updates in a repository that follows another one. It says where updates are possible. */
export function readOnlyFollower(address: string): ProblemError {
  const server = /^(https?:\/\/.*\/)repository\.git\/?$/.exec(address)?.[1]
  const instead = server === undefined ? 'the server that writes there' : server
  return new ProblemError(
    'forbidden',
    `This repository follows ${address} and cannot be changed here. Send changes to ${instead}.`,
  )
}

/** Services that refuse every update before anything is checked. */
export function refuseUpdates(services: OpenServices, refusal: Refusal): OpenServices {
  const refuse = () => Promise.reject(refusal())
  return {
    ...services,
    collections: {
      schema: {
        ...services.collections.schema,
        register: refuse,
        demandChangeable: refuse,
        revise: refuse,
        remove: refuse,
      },
      metadata: {
        ...services.collections.metadata,
        create: refuse,
        demandChangeable: refuse,
        revise: refuse,
        remove: refuse,
      },
    },
    changeSets: { apply: refuse },
  }
}

/** A writer that refuses updates that reach it, and still follows the branch. */
export function refuseWrites(writer: Writer, refusal: Refusal): Writer {
  return { ...writer, write: () => Promise.reject(refusal()) }
}
