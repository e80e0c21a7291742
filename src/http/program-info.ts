/** The program that serves. */
export interface ProgramInfo {
  readonly name: string
  readonly version?: string
}
