package org.salus.nbd;

/** The numbers of the NBD protocol, under the names of its specification. */
public final class Nbd {
  public static final long NBDMAGIC = 0x4e42444d41474943L;
  public static final long IHAVEOPT = 0x49484156454f5054L;
  public static final long OPTION_REPLY_MAGIC = 0x3e889045565a9L;
  public static final int REQUEST_MAGIC = 0x25609513;
  public static final int SIMPLE_REPLY_MAGIC = 0x67446698;
  public static final int STRUCTURED_REPLY_MAGIC = 0x668e33ef;

  public static final int FLAG_FIXED_NEWSTYLE = 1;
  public static final int FLAG_NO_ZEROES = 2;

  public static final int OPT_EXPORT_NAME = 1;
  public static final int OPT_ABORT = 2;
  public static final int OPT_LIST = 3;
  public static final int OPT_INFO = 6;
  public static final int OPT_GO = 7;
  public static final int OPT_STRUCTURED_REPLY = 8;
  public static final int OPT_LIST_META_CONTEXT = 9;
  public static final int OPT_SET_META_CONTEXT = 10;

  public static final int REP_ACK = 1;
  public static final int REP_SERVER = 2;
  public static final int REP_INFO = 3;
  public static final int REP_META_CONTEXT = 4;
  public static final int REP_ERR_UNSUP = 0x80000001;
  public static final int REP_ERR_INVALID = 0x80000003;
  public static final int REP_ERR_UNKNOWN = 0x80000006;
  public static final int REP_ERR_TOO_BIG = 0x80000009;

  public static final int INFO_EXPORT = 0;
  public static final int INFO_BLOCK_SIZE = 3;

  /** HAS_FLAGS, SEND_FLUSH, SEND_FUA, SEND_TRIM, SEND_WRITE_ZEROES, CAN_MULTI_CONN. */
  public static final int TRANSMISSION_FLAGS = 1 | 1 << 2 | 1 << 3 | 1 << 5 | 1 << 6 | 1 << 8;

  /** Says that a client may have several connections. */
  public static final int FLAG_CAN_MULTI_CONN = 1 << 8;

  /** Says that reads take {@link #CMD_FLAG_DF}; only with structured replies. */
  public static final int FLAG_SEND_DF = 1 << 7;

  public static final int CMD_READ = 0;
  public static final int CMD_WRITE = 1;
  public static final int CMD_DISC = 2;
  public static final int CMD_FLUSH = 3;
  public static final int CMD_TRIM = 4;
  public static final int CMD_WRITE_ZEROES = 6;
  public static final int CMD_BLOCK_STATUS = 7;

  public static final int CMD_FLAG_FUA = 1;
  public static final int CMD_FLAG_NO_HOLE = 1 << 1;
  public static final int CMD_FLAG_DF = 1 << 2;
  public static final int CMD_FLAG_REQ_ONE = 1 << 3;

  public static final int REPLY_FLAG_DONE = 1;
  public static final int REPLY_TYPE_NONE = 0;
  public static final int REPLY_TYPE_OFFSET_DATA = 1;
  public static final int REPLY_TYPE_BLOCK_STATUS = 5;
  public static final int REPLY_TYPE_ERROR = 0x8001;

  public static final int STATE_HOLE = 1;
  public static final int STATE_ZERO = 2;
  public static final String BASE_ALLOCATION = "base:allocation";

  /** The id of {@code base:allocation} in replies. */
  public static final int BASE_ALLOCATION_ID = 1;

  public static final int EIO = 5;
  public static final int EINVAL = 22;
  public static final int ENOSPC = 28;
  public static final int EOVERFLOW = 75;
  public static final int ESHUTDOWN = 108;

  /** Most bytes of a string. */
  public static final int MAX_STRING = 4096;

  /** Most bytes of a request's data. */
  public static final int MAX_PAYLOAD = 32 << 20;

  private Nbd() {}
}
