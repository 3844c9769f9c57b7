#include "extension/bindings.h"
#include "extension/without_gil.h"
#include "sotto/frontend/account_options.h"

namespace sotto::python {

void BindAccount(py::module_& module) {
  // (epsilon, delta, noise_scale, method, sentence).
  module.def("account", [](py::handle options) {
    const Settings settings = ParseRequired(AccountOptions(), options);
    Result<AccountAnswer> answer = InvalidArgument("not asked");
    {
      const WithoutGil released;
      answer = AskAccount(settings);
    }
    const AccountAnswer known = Checked(std::move(answer));
    return py::make_tuple(known.epsilon, known.delta, known.noise_scale,
                          known.method, AccountSentence(settings, known));
  });
}

}  // namespace sotto::python
