import { ProblemError } from '../core/problem.js'
import type { Writer } from '../store/writer.js'
import type { Services } from './services.js'

type Offered = Omit<Services, 'close'>

/** Why a server that follows another repository changes nothing, and where to change something instead. */
export function onlyFollows(address: string): ProblemError {
  const server = /^(https?:\/\/.*\/)repository\.git\/?$/.exec(address)?.[1]
  const instead = server === undefined ? 'the server that writes there' : server
  return new ProblemError(
    'forbidden',
    `This server only follows ${address}; nothing can be changed here. Send changes to ${instead}.`,
  )
}

/** Refuses every update before it is looked at. */
export function refuseUpdates(services: Offered, refusal: () => ProblemError): Offered {
  const refuse = () => Promise.reject(refusal())
  return {
    ...services,
    schemas: { ...services.schemas, register: refuse, revise: refuse, remove: refuse },
    metadata: { ...services.metadata, create: refuse, revise: refuse, remove: refuse },
    changeSets: { apply: refuse },
  }
}

/** A writer that only follows: whatever update gets as far as this is refused. */
export function refuseWrites(writer: Writer, refusal: () => ProblemError): Writer {
  return { ...writer, write: () => Promise.reject(refusal()) }
}
