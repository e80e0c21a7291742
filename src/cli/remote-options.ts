import { defaultInterval, type RemoteConfig } from '../config.js'
import { refuseHostile } from '../store/remote-address.js'
import { UsageError } from './program.js'

export interface RemoteOptions {
  readonly follow: string | undefined
  readonly pushTo: string | undefined
  readonly interval: string | undefined
  readonly allowPush: boolean
}

/** The other repository that the options of `serve` name, if any. @throws UsageError */
export function remoteOf({ follow, pushTo, interval, allowPush }: RemoteOptions): RemoteConfig | undefined {
  const remote = follow ?? pushTo
  if (remote === undefined) {
    if (interval !== undefined) throw new UsageError('--interval is for --follow.')
    return undefined
  }
  if (follow !== undefined && pushTo !== undefined) {
    throw new UsageError('A server follows another repository or pushes to it: give --follow or --push-to.')
  }
  if (follow !== undefined && allowPush) {
    throw new UsageError('A server that follows another repository takes no pushes: leave out --allow-push.')
  }
  try {
    refuseHostile(remote)
  } catch (error) {
    if (error instanceof RangeError) throw new UsageError(error.message, { cause: error })
    throw error
  }
  return {
    role: follow === undefined ? 'mirror' : 'source',
    remote,
    interval: interval === undefined ? defaultInterval : millisecondsOf(interval),
  }
}

const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }

function millisecondsOf(text: string): number {
  const [, number, unit = ''] = /^(\d{1,6})(ms|s|m|h)$/.exec(text) ?? []
  const milliseconds = Number(number) * (units[unit] ?? Number.NaN)
  if (milliseconds >= 100 && milliseconds <= 24 * 3_600_000) return milliseconds
  throw new UsageError('--interval has to be a time from 100ms to 24h, such as 500ms, 5s or 1m.')
}
