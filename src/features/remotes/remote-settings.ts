import { parseDuration } from '../../cli/arguments/duration.js'
import { requireSafeRemote } from '../../cli/arguments/remote-address.js'
import { UsageError } from '../../cli/command-context.js'

/**
 * The role of a remote repository: the `source` that the server follows, a `mirror` that it pushes to, or the `log`
 * that several servers share and that gets every update before its response.
 */
export type RemoteRole = 'source' | 'mirror' | 'log'

export interface RemoteSettings {
  readonly role: RemoteRole
  /** The name of a configured remote, a URL, or a path. */
  readonly remote: string
  /** Milliseconds between two fetches. A mirror is never fetched. */
  readonly interval: number
}

/** Milliseconds between two fetches. */
const defaultInterval = 5000

/** The options of `serve` about other repositories. */
interface RemoteOptions {
  readonly follow: string | undefined
  readonly pushTo: string | undefined
  readonly ackRemote: boolean
  readonly interval: string | undefined
}

/** The repository that the options of `serve` follow or push to; undefined if they name none. @throws UsageError */
export function remoteSettings(options: RemoteOptions): RemoteSettings | undefined {
  const { follow, pushTo, ackRemote, interval } = options
  refuseTogether(options)
  const remote = follow ?? pushTo
  if (remote === undefined) return undefined
  requireSafeRemote(remote)
  return {
    role: follow !== undefined ? 'source' : ackRemote ? 'log' : 'mirror',
    remote,
    interval: interval === undefined ? defaultInterval : intervalOf(interval),
  }
}
function refuseTogether({ follow, pushTo, ackRemote, interval }: RemoteOptions): void {
  if (follow !== undefined && pushTo !== undefined) {
    throw new UsageError('A server follows another repository or pushes to it: give --follow or --push-to.')
  }
  if (ackRemote && pushTo === undefined) {
    throw new UsageError('--ack-remote needs --push-to: it waits for the repository that is pushed to.')
  }
  if (interval !== undefined && follow === undefined && !ackRemote) {
    throw new UsageError('--interval is for --follow and --ack-remote.')
  }
}

function intervalOf(text: string): number {
  const milliseconds = parseDuration(text, ['ms', 's', 'm', 'h']) ?? Number.NaN
  if (milliseconds >= 100 && milliseconds <= 24 * 3_600_000) return milliseconds
  throw new UsageError('--interval must be a time from 100ms to 24h, such as 500ms, 5s or 1m.')
}
