import { ProblemError } from '../../core/problem.js'
import type { Writer } from '../../store/write/writer.js'
import type { Services } from '../services.js'
import type { ConnectionStatus } from './connection-status.js'

export type Refusal = () => ProblemError

type Offered = Omit<Services, 'close'>

/**
 * Why nothing may be changed in a repository beside a server that follows another one, or that shares its log with
 * others; and where to change something instead.
 * @returns undefined where nothing stands against it
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
      `Updates of this repository go to ${address} first: send them to its server, by --url. To end that, serve it ` +
        'without --push-to.',
    )
}

/** Why nothing is changed in a repository that follows another one, and where to change something instead. */
export function readOnlyFollower(address: string): ProblemError {
  const server = /^(https?:\/\/.*\/)repository\.git\/?$/.exec(address)?.[1]
  const instead = server === undefined ? 'the server that writes there' : server
  return new ProblemError(
    'forbidden',
    `This repository only follows ${address}; nothing can be changed here. Send changes to ${instead}.`,
  )
}

/** Refuses every update before it is looked at. */
export function refuseUpdates(services: Offered, refusal: Refusal): Offered {
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

/** A writer that only follows: whatever update gets as far as this is refused. */
export function refuseWrites(writer: Writer, refusal: Refusal): Writer {
  return { ...writer, write: () => Promise.reject(refusal()) }
}
