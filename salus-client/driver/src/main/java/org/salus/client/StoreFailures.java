package org.salus.client;

import java.time.Instant;
import java.util.function.BooleanSupplier;
import org.salus.host.zk.ClusterStore;
import org.salus.host.zk.ClusterStoreException;

/** Tells users of the driver how calls on the cluster's records fail, and the way out. */
final class StoreFailures {
  private StoreFailures() {}

  /**
   * A call on the cluster's records, whose failures {@link #typed} turns into {@link
   * SalusException}s.
   */
  interface Call<T> {
    T call() throws ClusterStoreException;
  }

  static <T> T typed(ClusterStore store, String volume, Call<T> call) {
    return typed(store::isClosed, volume, call);
  }

  static SalusException.Closed closed() {
    return new SalusException.Closed("this client is closed; connect another one");
  }

  /**
   * @param isClosed whether this client is closed, which Curator answers with an {@link
   *     IllegalStateException}
   */
  static <T> T typed(BooleanSupplier isClosed, String volume, Call<T> call) {
    try {
      return call.call();
    } catch (ClusterStoreException.Missing missing) {
      throw new SalusException.NotFound(
          "there is no volume " + volume + "; SalusClient.list names those there are");
    } catch (ClusterStoreException.Exists exists) {
      throw new SalusException.AlreadyExists(
          "volume " + volume + " exists already; choose another name, or delete it first");
    } catch (ClusterStoreException.Busy busy) {
      throw new SalusException.Busy(
          volume, busy.writer().holder(), Instant.ofEpochMilli(busy.writer().since()));
    } catch (ClusterStoreException.Format format) {
      throw new SalusException.Incompatible(format.getMessage());
    } catch (ClusterStoreException.Restoring restoring) {
      throw new SalusException.Unavailable(
          "the repair of the records of volume "
              + volume
              + " is not done: if it does not run, run SalusClient.repairs for it again",
          restoring);
    } catch (ClusterStoreException failed) {
      throw new SalusException.Unavailable(failed.getMessage(), failed);
    } catch (IllegalStateException bug) {
      if (isClosed.getAsBoolean()) {
        throw closed();
      }
      throw bug;
    }
  }
}
