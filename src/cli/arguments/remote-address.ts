import { rejectUnsafeAddress } from '../../store/remotes/address.js'
import { UsageError } from '../command-context.js'

/** Checks the address of a remote repository. @throws UsageError for an address that makes git start a program */
export function requireSafeRemote(remote: string): void {
  try {
    rejectUnsafeAddress(remote)
  } catch (error) {
    if (error instanceof RangeError) throw new UsageError(error.message, { cause: error })
    throw error
  }
}
