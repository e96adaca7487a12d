/** The store interfaces of express-rate-limit. */

/** A client's state in a store. */
export type ClientRateLimitInfo = {
  totalHits: number;
  resetTime: Date | undefined;
};

/** A client's state in `MemoryStore`. */
export type Client = {
  totalHits: number;
  resetTime: Date;
};

export type IncrementResponse = ClientRateLimitInfo;

export type IncrementCallback = (
  error: Error | undefined,
  totalHits: number,
  resetTime: Date | undefined,
) => void;

/** A store that counts hits. */
export type Store = {
  /** Receives the options of its limiter, from either package. */
  // biome-ignore lint/suspicious/noExplicitAny: stores are typed by either package's options.
  init?: (options: any) => void | Promise<void>;
  get?: (key: string) => Promise<ClientRateLimitInfo | undefined> | ClientRateLimitInfo | undefined;
  increment: (key: string) => Promise<IncrementResponse> | IncrementResponse;
  decrement: (key: string) => Promise<void> | void;
  resetKey: (key: string) => Promise<void> | void;
  resetAll?: () => Promise<void> | void;
  shutdown?: () => Promise<void> | void;
  /** Whether the keys of two store objects are separate. */
  localKeys?: boolean;
  prefix?: string;
};

/** The store interface from before promises. */
export type LegacyStore = {
  incr: (key: string, callback: IncrementCallback) => void;
  decrement: (key: string) => void;
  resetKey: (key: string) => void;
  resetAll?: () => void;
};
